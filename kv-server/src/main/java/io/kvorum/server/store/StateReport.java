package io.kvorum.server.store;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import org.jspecify.annotations.Nullable;

/**
 * What tables say of the state in them.
 *
 * @param applied the last entry in it
 * @param hash of all of it, equal on all members at the same entry; null in format 4, which has
 *     none
 */
public record StateReport(
    EntryId applied,
    long revision,
    long compactRevision,
    Membership membership,
    @Nullable StateHash hash) {
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
        StoreState.knownHashIn(tables));
  }

  /**
   * Reads every row, the history too, and compares them with the hash.
   *
   * @param tables of which this is
   * @throws IllegalStateException if they are others than those that were written
   * @throws java.io.UncheckedIOException if one cannot be read
   */
  public void checkRows(TableReader tables) {
    StateSummary.checkRows(tables, hash);
  }
}
