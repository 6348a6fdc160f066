package io.kvorum.api;

/**
 * Which keys of a range come, by their revisions. All bounds are inclusive; 0: no bound.
 *
 * @param minModRevision the key was last put at this revision or later
 * @param maxModRevision at this one or earlier
 * @param minCreateRevision the key exists since this revision or a later one
 * @param maxCreateRevision since this one or an earlier one
 */
public record RevisionFilter(
    long minModRevision, long maxModRevision, long minCreateRevision, long maxCreateRevision) {
  /** Every key. */
  public static final RevisionFilter NONE = new RevisionFilter(0, 0, 0, 0);

  public RevisionFilter withMinModRevision(long revision) {
    return new RevisionFilter(revision, maxModRevision, minCreateRevision, maxCreateRevision);
  }

  public RevisionFilter withMaxModRevision(long revision) {
    return new RevisionFilter(minModRevision, revision, minCreateRevision, maxCreateRevision);
  }

  public RevisionFilter withMinCreateRevision(long revision) {
    return new RevisionFilter(minModRevision, maxModRevision, revision, maxCreateRevision);
  }

  public RevisionFilter withMaxCreateRevision(long revision) {
    return new RevisionFilter(minModRevision, maxModRevision, minCreateRevision, revision);
  }

  /** Whether the key comes. */
  public boolean accepts(KeyValue keyValue) {
    return within(keyValue.modRevision(), minModRevision, maxModRevision)
        && within(keyValue.createRevision(), minCreateRevision, maxCreateRevision);
  }

  private static boolean within(long revision, long min, long max) {
    return (min == 0 || revision >= min) && (max == 0 || revision <= max);
  }
}
