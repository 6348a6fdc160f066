package io.kvorum.raft;

/**
 * The identity of a log entry. By the log matching property (§5.3) two logs that hold the same id
 * are equal up to it.
 *
 * <p>The order is the one that elections use (§5.4.1): first the term, then the index.
 *
 * @param index position in the log, from 1; 0 stands before the first entry
 * @param term the term of the leader that created the entry; 0 only with index 0
 */
public record EntryId(long index, long term) implements Comparable<EntryId> {
  /** Before the first entry of every log. */
  public static final EntryId ZERO = new EntryId(0, 0);

  public EntryId {
    if (index < 0 || term < 0) {
      throw new IllegalArgumentException("negative entry id " + index + "@" + term);
    }
  }

  @Override
  public int compareTo(EntryId other) {
    return term != other.term ? Long.compare(term, other.term) : Long.compare(index, other.index);
  }

  @Override
  public String toString() {
    return index + "@" + term;
  }
}
