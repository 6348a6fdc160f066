package io.kvorum.raft;

/**
 * A state that stands for the log up to an entry: of a snapshot, or of what the state machine has
 * durably applied when a node starts.
 *
 * @param last the last entry in it; committed by definition
 * @param membership the group's members as of that entry
 */
public record SnapshotMeta(EntryId last, Membership membership) {
  /** The state of a new group, before its first entry. */
  public static SnapshotMeta initial(Membership membership) {
    return new SnapshotMeta(EntryId.ZERO, membership);
  }
}
