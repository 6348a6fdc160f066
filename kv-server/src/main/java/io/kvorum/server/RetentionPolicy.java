package io.kvorum.server;

import java.util.ArrayDeque;

/**
 * Decides up to which revision history is given up. Every member looks at its clock and its
 * revision now and then, so that a new leader knows how old revisions are; only a leader acts by
 * it. Belongs to the loop.
 */
final class RetentionPolicy {
  /** The age of history is known to a tenth. */
  private static final int SAMPLES_PER_AGE = 10;

  private static final long SAMPLE_NANOS_MIN = 100_000_000;

  /** At that time the newest revision was this one, or a later one that had not come here yet. */
  private record Sample(long nanos, long revision) {}

  private final Retention retention;
  private final long ageNanos;
  private final long sampleNanos;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  RetentionPolicy(Retention retention) {
    this.retention = retention;
    this.ageNanos = retention.age().toNanos();
    this.sampleNanos = Math.max(SAMPLE_NANOS_MIN, ageNanos / SAMPLES_PER_AGE);
  }

  /** Notes how late it is; cheap if that is too soon. */
  void look(long nowNanos, long revision) {
    if (ageNanos == 0) {
      return;
    }
    if (samples.isEmpty() || nowNanos - samples.getLast().nanos >= sampleNanos) {
      samples.add(new Sample(nowNanos, revision));
    }
    // Of those that are old enough only the newest says anything.
    while (samples.size() > 1 && isOld(secondOldest(), nowNanos)) {
      samples.remove();
    }
  }

  private Sample secondOldest() {
    var inOrder = samples.iterator();
    inOrder.next();
    return inOrder.next();
  }

  private boolean isOld(Sample sample, long nowNanos) {
    return nowNanos - sample.nanos >= ageNanos;
  }

  /** The revision to compact at; 0: none, or it is not worth an entry yet. */
  long due(long nowNanos, long revision, long compactRevision) {
    if (retention.equals(Retention.EVERYTHING)) {
      return 0;
    }
    long target = revision;
    if (retention.revisions() > 0) {
      // Up to half more than asked for is kept: much removed at once costs the least.
      long slack = retention.revisions() / 2;
      boolean isWorthIt = revision - compactRevision > retention.revisions() + slack;
      target = isWorthIt ? revision - retention.revisions() : 0;
    }
    if (ageNanos > 0) {
      boolean isKnown = !samples.isEmpty() && isOld(samples.element(), nowNanos);
      target = Math.min(target, isKnown ? samples.element().revision : 0);
    }
    return target > compactRevision ? target : 0;
  }
}
