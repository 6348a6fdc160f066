package io.kvorum.api;

import java.util.List;

/**
 * A delete that a majority holds on its disks.
 *
 * @param header its revision is the delete's own, or the current one when nothing was deleted
 * @param deleted how many keys
 * @param previous what was deleted, in order of key; empty if not asked for
 */
public record DeleteResult(Header header, long deleted, List<KeyValue> previous) {
  public DeleteResult {
    previous = List.copyOf(previous);
  }
}
