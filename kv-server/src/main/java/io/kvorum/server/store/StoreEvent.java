package io.kvorum.server.store;

import io.kvorum.api.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * One change of one key, at its place in the store's history.
 *
 * @param sub its position inside its revision
 * @param now what a put made of the key; of a deletion, the key and its revision, all else empty
 * @param before where the key changed before; null: nowhere, or there it was deleted
 */
public record StoreEvent(int sub, boolean isDelete, KeyValue now, @Nullable Before before) {
  /** What an event counts beyond the bytes of its keys and values. */
  private static final int OVERHEAD_BYTES = 192;

  /**
   * A place in the history.
   *
   * @param held what was there, if it is at hand
   */
  public record Before(long revision, int sub, @Nullable KeyValue held) {}

  /** When it happened. */
  public long revision() {
    return now.modRevision();
  }

  /** About what it takes on the heap. */
  public long bytes() {
    long held = before == null || before.held() == null ? 0 : before.held().value().size();
    return OVERHEAD_BYTES + now.key().size() + now.value().size() + held;
  }
}
