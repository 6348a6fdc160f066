package io.kvorum.server.store;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import org.jspecify.annotations.Nullable;

/**
 * What a state that was written down says of itself.
 *
 * @param applied the last entry in it
 * @param membership as of then; empty if no entry has named one
 * @param revision of the store
 * @param compactRevision the oldest revision that can be read; 0: all
 * @param logTimeMillis the largest time stamp in the log up to there, milliseconds since the epoch
 * @param hash of the state
 */
public record StateSummary(
    EntryId applied,
    Membership membership,
    long revision,
    long compactRevision,
    long logTimeMillis,
    StateHash hash) {
  /**
   * Reads it; changes nothing.
   *
   * @throws IllegalStateException if there is no store, or one of a format without a hash
   */
  public static StateSummary of(TableReader tables) {
    StoreState state = StoreState.in(tables);
    return new StateSummary(
        state.applied(),
        state.membership(),
        state.revision(),
        state.compactRevision(),
        state.logTimeMillis(),
        StoreState.hashIn(tables));
  }

  /** What a snapshot's manifest says of it. */
  public byte[] about() {
    return new SnapshotAbout(revision, hash).encode();
  }

  /**
   * As {@link #of}, after a look at every row: the hash is that of what is there. The history is
   * not in the hash; it is read, since files that cannot be read are damaged.
   *
   * @throws IllegalStateException if it is not
   * @throws java.io.UncheckedIOException if a row cannot be read
   */
  public static StateSummary verified(TableReader tables) {
    StateSummary said = of(tables);
    checkRows(tables, said.hash);
    return said;
  }

  /**
   * Reads every row.
   *
   * @param said the hash that the state should have; null: nobody knows, in format 4
   */
  static void checkRows(TableReader tables, @Nullable StateHash said) {
    tables.checkReadable(Table.REV);
    StateHash found = StoreState.in(tables).hash(RowSum.of(tables));
    if (said != null && !found.equals(said)) {
      throw new IllegalStateException(
          "the state says that its hash is " + said + ", but it is " + found);
    }
  }
}
