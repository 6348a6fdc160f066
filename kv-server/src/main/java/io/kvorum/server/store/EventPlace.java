package io.kvorum.server.store;

/**
 * A place between events: in front of the one with this number in this revision.
 *
 * @param sub 0: in front of the whole revision
 */
public record EventPlace(long revision, int sub) implements Comparable<EventPlace> {
  /** In front of a revision. */
  public static EventPlace before(long revision) {
    return new EventPlace(revision, 0);
  }

  /** The newest revision that is behind us, whole. */
  public long whole() {
    return revision - 1;
  }

  /** As they follow one another in history. */
  @Override
  public int compareTo(EventPlace other) {
    int byRevision = Long.compare(revision, other.revision);
    return byRevision != 0 ? byRevision : Integer.compare(sub, other.sub);
  }
}
