package io.kvorum.server;

import java.time.Duration;

/**
 * How much history a group keeps by itself. Any member may lead, so it should be the same on all.
 * What is kept can be read, and watched from; history is given up when neither rule wants it any
 * more. One compaction may be made by hand at any time.
 *
 * <p>On by default, at a number of revisions that no ordinary reader looks back: a store that keeps
 * everything fills every disk, slowly, and nobody notices before it does.
 *
 * @param revisions the newest ones that are kept; 0: this rule wants nothing kept
 * @param age everything younger is kept; zero: this rule wants nothing kept. If neither rule wants
 *     anything, nothing is given up
 */
public record Retention(long revisions, Duration age) {
  public static final Retention DEFAULT = new Retention(1_000_000, Duration.ZERO);

  /** All of it, for ever. */
  public static final Retention EVERYTHING = new Retention(0, Duration.ZERO);

  public Retention {
    if (revisions < 0 || age.isNegative()) {
      throw new IllegalArgumentException("what is kept of history is at least 0");
    }
    if (age.toDays() > 36_500) {
      throw new IllegalArgumentException("history is kept for at most 36500 days, not " + age);
    }
  }

  public Retention withRevisions(long newest) {
    return new Retention(newest, age);
  }

  public Retention withAge(Duration younger) {
    return new Retention(revisions, younger);
  }
}
