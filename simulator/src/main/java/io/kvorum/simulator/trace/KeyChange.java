package io.kvorum.simulator.trace;

import io.kvorum.api.KeyValue;
import io.kvorum.api.WatchEvent;
import java.util.List;

/**
 * One key has changed.
 *
 * @param now as a watch delivers it
 * @param previous what the key held before, if that is told
 */
public record KeyChange(boolean isDelete, KeyValue now, List<KeyValue> previous) {
  /** What a watch delivered. */
  public static KeyChange of(WatchEvent event) {
    return new KeyChange(
        event.type() == WatchEvent.Type.DELETE,
        event.keyValue(),
        event.previous().stream().toList());
  }

  /** The same, told otherwise. */
  public KeyChange with(List<KeyValue> before) {
    return new KeyChange(isDelete, now, before);
  }

  @Override
  public String toString() {
    String what = isDelete ? "-" + now.key() : now.key() + "=" + now.value();
    String before = previous.isEmpty() ? "" : " (was @" + previous.get(0).modRevision() + ")";
    return what + "@" + now.modRevision() + before;
  }
}
