package io.kvorum.bench.load;

import io.kvorum.bench.store.Key;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How often each key was written, and how many of these writes were acknowledged: enough to judge
 * every read, since of one key there is at most one write under way.
 *
 * <p>Thread-safe, also while a key changes hands between two loads.
 */
final class Writes {
  private final AtomicLongArray attempted;
  private final AtomicLongArray acknowledged;

  Writes(int keys) {
    attempted = new AtomicLongArray(keys);
    acknowledged = new AtomicLongArray(keys);
  }

  /** Begins a write; returns its number, from 1. */
  long begin(Key key) {
    return attempted.incrementAndGet(key.number());
  }

  /** The write with this number was acknowledged. */
  void acknowledge(Key key, long sequence) {
    acknowledged.set(key.number(), sequence);
  }

  /** The last write that was acknowledged; 0: none. */
  long acknowledged(Key key) {
    return acknowledged.get(key.number());
  }

  /** Whether every write was acknowledged, so that it is known what the key holds. */
  boolean isCertain(Key key) {
    return attempted.get(key.number()) == acknowledged.get(key.number());
  }

  /**
   * Whether a read that ends now may have seen that write.
   *
   * @param floor what was acknowledged when the read began
   */
  boolean mayBeSeen(Key key, long sequence, long floor) {
    return floor <= sequence && sequence <= attempted.get(key.number());
  }
}
