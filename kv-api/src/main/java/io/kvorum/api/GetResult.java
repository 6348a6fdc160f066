package io.kvorum.api;

import java.util.Optional;

/**
 * What a key held.
 *
 * @param header its revision is the store's at the time of the read, also for a read of the past
 * @param keyValue empty if the key did not exist
 */
public record GetResult(Header header, Optional<KeyValue> keyValue) {
  /** The value, if the key existed. */
  public Optional<Bytes> value() {
    return keyValue.map(KeyValue::value);
  }
}
