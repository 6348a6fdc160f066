package io.kvorum.bench.store;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client of a system under test, in the one shape that every load uses: calls return at once, and
 * futures complete on a thread of the client's, with whatever went wrong as their failure.
 *
 * <p>Thread-safe. For one key a load has at most one change under way.
 */
public interface Store extends AutoCloseable {
  /** Sets a value, and creates the key if need be. */
  CompletableFuture<Void> put(Key key, byte[] value);

  /** Reads a key as strictly as the system does; completes with null if there is none. */
  CompletableFuture<byte @Nullable []> get(Key key);

  /**
   * Sets a value if the key still holds the expected one; completes with whether it did.
   *
   * @throws UnsupportedOperationException if the system has no such operation
   */
  default CompletableFuture<Boolean> swap(Key key, byte[] expected, byte[] value) {
    throw new UnsupportedOperationException("no compare and set");
  }

  /**
   * Has the listener told of each key that changes, from when this returns. It is called on a
   * thread of the client's and does not wait.
   *
   * @throws UnsupportedOperationException if the system cannot tell of changes
   */
  default void watch(ChangeListener listener) throws Exception {
    throw new UnsupportedOperationException("no watches");
  }

  @Override
  void close();
}
