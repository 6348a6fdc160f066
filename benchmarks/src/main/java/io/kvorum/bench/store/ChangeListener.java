package io.kvorum.bench.store;

import org.jspecify.annotations.Nullable;

/** Hears which keys change. */
@FunctionalInterface
public interface ChangeListener {
  /**
   * A key has changed.
   *
   * @param number of the key
   * @param value what it holds now; null if the system does not say
   */
  void changed(int number, byte @Nullable [] value);
}
