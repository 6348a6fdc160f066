package io.kvorum.server.store;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;

/**
 * What tables say of the state in them.
 *
 * @param applied the last entry in it
 * @param hash of all of it; equal on all members at the same entry
 */
public record StateReport(
    EntryId applied, long revision, long compactRevision, Membership membership, StateHash hash) {
  /**
   * Reads it.
   *
   * @throws IllegalStateException if another version of the format is in there, or no store
   * @throws java.io.UncheckedIOException if they are damaged
   */
  public static StateReport of(TableReader tables) {
    StoreState state = StoreState.in(tables);
    return new StateReport(
        state.applied(),
        state.revision(),
        state.compactRevision(),
        state.membership(),
        StoreState.hashIn(tables));
  }
}
