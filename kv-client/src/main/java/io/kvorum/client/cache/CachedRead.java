package io.kvorum.client.cache;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import java.time.Duration;
import java.util.Optional;

/**
 * What a {@link PointCache} knows of a key.
 *
 * @param keyValue empty if the key did not exist
 * @param revision the key held this as of this revision, and of every one between its modRevision
 *     and this one
 * @param age how long ago the cluster had confirmed that revision: some seconds while nothing
 *     changes, more while the cluster cannot be reached
 */
public record CachedRead(Optional<KeyValue> keyValue, long revision, Duration age) {
  /** The value, if the key existed. */
  public Optional<Bytes> value() {
    return keyValue.map(KeyValue::value);
  }
}
