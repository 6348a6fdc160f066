package io.kvorum.node;

import io.kvorum.disk.Disk;

/**
 * Which group a data directory belongs to, among all that may call themselves by its cluster id. A
 * group keeps its mark for ever, whoever its members are: so a member that was away while all
 * others were replaced knows those who call it for its own, and a node that was set up with other
 * members than the rest is told so.
 *
 * <p>The mark of a founding member follows from the members that its directory was made with. It is
 * <em>confirmed</em> when a member of the group has accepted this directory, and durably so. A node
 * that joins learns it in that way. One whose disk was replaced is refused under its old name by
 * all who have met it, so it is not confirmed, and must not follow whoever else calls it: they may
 * never have met it, and would count its forgetful vote (FAULTS F048).
 *
 * <p>Used on the node's loop.
 */
public final class GroupMark {
  /** The mark of no group. */
  public static final long UNKNOWN = 0;

  private final Disk disk;
  private Origin origin;

  /** What follows from the origin; every hello asks for it. */
  private long value;

  GroupMark(Disk disk, Origin origin) {
    this.disk = disk;
    this.origin = origin;
    this.value = origin.mark();
  }

  /** A mark that is not {@link #UNKNOWN}, made of a number that may be anything. */
  static long of(long number) {
    return number == UNKNOWN ? 1 : number;
  }

  /** What that directory remembers. */
  public static GroupMark read(Disk disk) {
    return new GroupMark(disk, Origin.find(disk));
  }

  /** The mark; {@link #UNKNOWN} as long as a node that joins was not accepted by anybody. */
  public long value() {
    return value;
  }

  /** Whether a member has accepted this directory. */
  public boolean isConfirmed() {
    return origin.group() != UNKNOWN;
  }

  /** Whether two nodes with these marks may be of one group. */
  public boolean fits(long other) {
    return value == UNKNOWN || other == UNKNOWN || value == other;
  }

  /**
   * A member has accepted this directory. Durable when this returns; does nothing when it was
   * confirmed before, or when that mark is not ours.
   *
   * @param mark of that member
   */
  public void confirm(long mark) {
    if (!isConfirmed() && mark != UNKNOWN && fits(mark)) {
      Origin confirmed = origin.of(mark);
      confirmed.write(disk);
      origin = confirmed;
      value = mark;
    }
  }
}
