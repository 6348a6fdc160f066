package io.kvorum.disk.simulated;

import java.util.Arrays;
import java.util.BitSet;
import java.util.random.RandomGenerator;

/**
 * The content of one file: as programs see it, and as it is on the platter. They differ in sectors
 * that were written and not synced. A sector is all old or all new; a page is usually, not always.
 */
final class Inode {
  static final int SECTOR_BYTES = 512;
  private static final int PAGE_SECTORS = 8;

  private byte[] seen = {};
  private byte[] durable = {};
  private final BitSet dirtySectors = new BitSet();

  byte[] seen() {
    return seen;
  }

  int size() {
    return seen.length;
  }

  void write(int position, byte[] bytes, int count) {
    int end = position + count;
    if (end > seen.length) {
      seen = Arrays.copyOf(seen, end);
    }
    System.arraycopy(bytes, 0, seen, position, count);
    if (count > 0) {
      dirtySectors.set(position / SECTOR_BYTES, (end - 1) / SECTOR_BYTES + 1);
    }
  }

  /** Changes what is seen and what is durable alike, as a fault of the medium does. */
  void damage(byte[] content) {
    seen = content.clone();
    durable = content.clone();
    dirtySectors.clear();
  }

  Inode copy() {
    Inode copy = new Inode();
    copy.damage(seen);
    return copy;
  }

  void sync() {
    writeBack(dirtySectors);
    if (durable.length != seen.length) {
      durable = Arrays.copyOf(durable, seen.length);
    }
    dirtySectors.clear();
  }

  /** After a failed sync the kernel takes the pages for clean: no later sync writes them (F042). */
  void forgetDirty() {
    dirtySectors.clear();
  }

  /** The kernel writes some dirty sectors early, as it may at any time. */
  void writeBackSome(RandomGenerator random) {
    BitSet chosen = new BitSet();
    dirtySectors.stream().filter(sector -> random.nextInt(4) == 0).forEach(chosen::set);
    writeBack(chosen);
    dirtySectors.andNot(chosen);
  }

  /** Each dirty page is lost, kept, or torn between its sectors. */
  void losePower(RandomGenerator random) {
    BitSet kept = new BitSet();
    int pages = dirtySectors.length() / PAGE_SECTORS + 1;
    for (int page = 0; page < pages; page++) {
      int fate = random.nextInt(3);
      for (int s = page * PAGE_SECTORS; s < (page + 1) * PAGE_SECTORS; s++) {
        boolean keep = fate == 1 || (fate == 2 && random.nextBoolean());
        kept.set(s, keep && dirtySectors.get(s));
      }
    }
    writeBack(kept);
    dirtySectors.clear();
    seen = durable.clone();
  }

  private void writeBack(BitSet sectors) {
    int end = Math.min(sectors.length() * SECTOR_BYTES, seen.length);
    if (end > durable.length) {
      durable = Arrays.copyOf(durable, end);
    }
    for (int s = sectors.nextSetBit(0); s >= 0; s = sectors.nextSetBit(s + 1)) {
      int from = s * SECTOR_BYTES;
      int to = Math.min(from + SECTOR_BYTES, seen.length);
      System.arraycopy(seen, from, durable, from, to - from);
    }
  }
}
