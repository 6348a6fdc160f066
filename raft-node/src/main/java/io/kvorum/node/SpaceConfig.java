package io.kvorum.node;

/**
 * How full the disk of a node may become (docs/adr/0017).
 *
 * @param reserveBytes of a file that is given up when the disk is all but full; 0: none
 * @param lowBytes the low mark: with less space than that the node takes nothing that needs more
 * @param criticalBytes the critical mark: with less than that the reserve is given up
 */
public record SpaceConfig(long reserveBytes, long lowBytes, long criticalBytes) {
  /** Space is not watched at all. */
  public static final SpaceConfig NONE = new SpaceConfig(0, 0, 0);

  /** At most this part of the low mark is a reserve, with {@link #withMarks}. */
  public static final int RESERVE_MAX_DIVISOR = 3;

  private static final int LOW_SEGMENTS = 3;
  private static final int RESERVE_DIVISOR = 4;
  private static final int CRITICAL_DIVISOR = 3;
  private static final int RESUME_DIVISOR = 4;

  public SpaceConfig {
    if (lowBytes < 0 || reserveBytes < 0) {
      throw new IllegalArgumentException("the low mark and the reserve are at least 0 bytes");
    }
    if (lowBytes == 0 && (reserveBytes != 0 || criticalBytes != 0)) {
      throw new IllegalArgumentException(
          "a reserve of "
              + reserveBytes
              + " bytes is never given up where the low mark is 0: set both, or none");
    }
    if (lowBytes > 0 && (criticalBytes <= 0 || criticalBytes >= lowBytes)) {
      throw new IllegalArgumentException(
          "the critical mark, "
              + criticalBytes
              + ", is above 0 and below the low one, "
              + lowBytes);
    }
    // Else giving it up would bring the disk above the mark below which it is given up.
    if (2 * reserveBytes > lowBytes - criticalBytes) {
      throw new IllegalArgumentException(
          "a reserve of "
              + reserveBytes
              + " bytes is too large for a low mark of "
              + lowBytes
              + ": at most "
              + (lowBytes - criticalBytes) / 2);
    }
  }

  /** For a log of such segments: three of them, a third of that, and a quarter of one. */
  public static SpaceConfig of(long segmentBytes) {
    return withMarks(segmentBytes / RESERVE_DIVISOR, LOW_SEGMENTS * segmentBytes);
  }

  /** With the critical mark where it belongs. */
  public static SpaceConfig withMarks(long reserveBytes, long lowBytes) {
    return new SpaceConfig(reserveBytes, lowBytes, lowBytes / CRITICAL_DIVISOR);
  }

  /** Whether space is watched. */
  public boolean isOn() {
    return lowBytes > 0;
  }

  /** With so much the node is no longer low: clearly more than what made it so. */
  long resumeBytes() {
    return lowBytes + lowBytes / RESUME_DIVISOR;
  }

  /**
   * The state that follows with so many usable bytes. It leaves a state later than it entered it.
   */
  SpaceState next(SpaceState now, long usableBytes) {
    if (usableBytes < criticalBytes) {
      return SpaceState.CRITICAL;
    }
    if (now == SpaceState.CRITICAL && usableBytes < (criticalBytes + lowBytes) / 2) {
      return SpaceState.CRITICAL;
    }
    if (usableBytes < lowBytes || (now != SpaceState.OK && usableBytes < resumeBytes())) {
      return SpaceState.LOW;
    }
    return SpaceState.OK;
  }
}
