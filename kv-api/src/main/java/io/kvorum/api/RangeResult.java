package io.kvorum.api;

import java.util.List;

/**
 * A part of the keys in a range.
 *
 * @param header its revision is the store's at the time of the read; to read on where this answer
 *     stopped, ask for this revision again
 * @param keyValues in the order asked for
 * @param more whether the limit, or the size limit of an answer, cut something off; in order of key
 *     the rest can be asked for from there on
 * @param count all keys in the range, before the limit and the filter; 0 if not asked for
 */
public record RangeResult(Header header, List<KeyValue> keyValues, boolean more, long count) {
  public RangeResult {
    keyValues = List.copyOf(keyValues);
  }
}
