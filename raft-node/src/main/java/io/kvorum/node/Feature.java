package io.kvorum.node;

/**
 * What not every version of Kvorum can do (docs/adr/0019). A member announces each by a bit; what
 * it did not announce is neither sent to it nor put into the log that it reads.
 *
 * <p>A constant is never removed and keeps its bit: others were told by it. A new one takes the
 * next bit, and needs a line in docs/FORMATS.md.
 */
public enum Feature {
  /** Takes the frames about snapshots. */
  SNAPSHOTS(0, "snapshots"),

  /** Takes the frames about states, and knows the commands that have them compared. */
  STATE_CHECKS(1, "state-checks"),

  /** Takes the frames about the space on disks. */
  DISK_SPACE(2, "disk-space"),

  /** Knows the command that sets a quota for the store. */
  QUOTA(3, "quota");

  private final int bit;
  private final String title;

  Feature(int bit, String title) {
    this.bit = bit;
    this.title = title;
  }

  /** The number with only its bit set. */
  public int mask() {
    return 1 << bit;
  }

  /** What people call it: lower case, without blanks. */
  public String title() {
    return title;
  }
}
