package io.kvorum.api;

import java.util.Optional;

/**
 * One change of one key.
 *
 * @param keyValue what a put made of the key; of a deletion, the key and, as modRevision, the
 *     revision of the deletion, all else empty or 0
 * @param previous what the key held before, if it was asked for. Absent where the put created the
 *     key, which then has version 1; and where compaction has removed it (FAULTS F143): a put of a
 *     higher version, or a deletion, without it says just that
 */
public record WatchEvent(Type type, KeyValue keyValue, Optional<KeyValue> previous) {
  /** What happened to the key. */
  public enum Type {
    PUT,
    DELETE
  }

  /** When it happened. */
  public long revision() {
    return keyValue.modRevision();
  }

  /** Whether the key did not exist before. */
  public boolean isCreate() {
    return type == Type.PUT && keyValue.version() == 1;
  }
}
