package io.kvorum.node;

import java.util.regex.Pattern;

/**
 * What the state of one member sums up to behind one entry of the log. Two sums say something about
 * each other only if index and format are the same: everything else could not be compared, which is
 * never equal (FAULTS F148).
 *
 * @param index of the entry behind which the state was summed up
 * @param format of the hash: other versions may reckon otherwise
 * @param hash at most 64 hexadecimal digits
 */
public record StateSum(long index, int format, String hash) {
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{1,64}");

  public StateSum {
    if (index < 1 || format < 1 || !HASH.matcher(hash).matches()) {
      throw new IllegalArgumentException("no sum of a state: " + index + " " + format);
    }
  }

  /** Whether the two can be compared at all. */
  public boolean isComparable(StateSum other) {
    return index == other.index && format == other.format;
  }

  /** Whether the two can be compared, and are not equal. */
  public boolean contradicts(StateSum other) {
    return isComparable(other) && !hash.equals(other.hash);
  }
}
