package io.kvorum.server.store;

import java.util.Arrays;

/** Rows from one key to another, both of them included. */
public final class RowRange {
  private final byte[] first;
  private final byte[] last;

  public RowRange(byte[] first, byte[] last) {
    this.first = first;
    this.last = last;
  }

  public byte[] first() {
    return first;
  }

  public byte[] last() {
    return last;
  }

  /** Whether all from one key to another is in here. */
  public boolean contains(byte[] from, byte[] to) {
    return Arrays.compareUnsigned(first, from) <= 0 && Arrays.compareUnsigned(to, last) <= 0;
  }
}
