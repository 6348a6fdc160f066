package io.kvorum.client.cache;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import java.time.Duration;
import java.util.NavigableMap;
import java.util.Optional;

/**
 * What a {@link CachedView} held at one moment: its whole range as of one revision. Immutable, and
 * shares its memory with the snapshots before and after.
 */
public final class ViewSnapshot {
  private final NavigableMap<Bytes, KeyValue> keyValues;
  private final long revision;
  private final Duration age;

  ViewSnapshot(NavigableMap<Bytes, KeyValue> keyValues, long revision, Duration age) {
    this.keyValues = keyValues;
    this.revision = revision;
    this.age = age;
  }

  /** The revision that it shows. */
  public long revision() {
    return revision;
  }

  /**
   * How long ago the cluster had confirmed it when it was taken: some seconds while nothing
   * changes, more while the cluster cannot be reached.
   */
  public Duration age() {
    return age;
  }

  /** What the key held. */
  public Optional<KeyValue> get(Bytes key) {
    return Optional.ofNullable(keyValues.get(key));
  }

  /** All keys with what they held, in order; unmodifiable. */
  public NavigableMap<Bytes, KeyValue> keyValues() {
    return keyValues;
  }

  /** The same of a part of the keys. */
  public NavigableMap<Bytes, KeyValue> keyValues(KeyRange part) {
    Bytes end = part.to();
    return end == null
        ? keyValues.tailMap(part.from(), true)
        : keyValues.subMap(part.from(), true, end, false);
  }
}
