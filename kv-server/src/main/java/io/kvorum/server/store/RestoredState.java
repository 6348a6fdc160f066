package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.disk.Disk;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a state that was written down the state that a new group begins with, as of its newest
 * revision or an earlier one. The same files and arguments give the same state, with the same hash.
 *
 * <p>What it keeps: all keys as they were, with their revisions, and the history before. Records of
 * idempotency keys, whose effects are in the state: who tries again after the restore must find
 * them.
 *
 * <p>What it changes:
 *
 * <ul>
 *   <li>Events behind the revision go. A checkpoint may hold some that its state does not know yet,
 *       and the new group will write others at the same revisions.
 *   <li>Leases have all of their time again: nobody could renew them meanwhile. How leases were at
 *       an earlier revision is not kept. So those stay that there are, and a lease that is gone but
 *       held keys then is there again for {@value #LEASE_TTL_MILLIS} ms.
 *   <li>Sessions go: they are of clients of the old cluster, which do not talk to a new one.
 *   <li>The quota stays; what is used is counted anew.
 *   <li>The membership goes: the new group begins with other members.
 *   <li>With a bump, the revision jumps, and all before counts as compacted. Whoever knows
 *       revisions of the old cluster that this state has not seen finds no others under the same
 *       numbers: a watch from there ends with the compaction error instead of a silent gap.
 * </ul>
 */
public final class RestoredState {
  /** How long a lease lives of which is only known that keys hung on it. */
  public static final long LEASE_TTL_MILLIS = 60_000;

  private static final byte[] FIRST = new byte[0];
  private static final int BATCH_BYTES_MAX = 1 << 20;

  private final Tables tables;
  private final StoreState found;
  private final long revision;
  private TableBatch batch;

  /**
   * How it is made.
   *
   * @param revision as of which; 0: the newest
   * @param bump by how much the revision jumps, to {@link #BUMP_MAX}; 0: it goes on
   */
  public record Options(long revision, long bump) {
    /** More than a store ever comes to by itself, and few enough for many restores. */
    public static final long BUMP_MAX = 1L << 40;

    public Options {
      if (revision < 0 || bump < 0 || bump > BUMP_MAX) {
        throw new IllegalArgumentException("revision " + revision + ", bumped by " + bump);
      }
    }
  }

  private RestoredState(Tables tables, long revision) {
    this.tables = tables;
    this.found = StoreState.in(tables);
    this.revision = revision == 0 ? found.revision() : revision;
    this.batch = tables.batch();
  }

  /**
   * Why a state cannot be made as of a revision, or null.
   *
   * @param revision 0: the newest
   */
  public static @Nullable String refusal(StateSummary state, long revision) {
    if (revision == 0 || (revision >= oldest(state) && revision <= state.revision())) {
      return null;
    }
    return "revision %d is not in it: it holds the revisions %d to %d"
        .formatted(revision, oldest(state), state.revision());
  }

  private static long oldest(StateSummary state) {
    return Math.max(1, state.compactRevision());
  }

  /**
   * Makes it of what a home holds, which nobody has opened. On return it is durable there, and
   * closed; after a failure what is there is of no use.
   *
   * @param snapshot where it is written down as well: an empty directory
   * @throws IllegalArgumentException if there is a {@link #refusal}; nothing was changed
   */
  public static StateSummary make(TablesHome home, Options options, Disk snapshot) {
    try (Tables tables = home.open()) {
      var unused = StoreUpgrade.run(tables);
      String refusal = refusal(StateSummary.of(tables), options.revision());
      if (refusal != null) {
        throw new IllegalArgumentException(refusal);
      }
      RestoredState restored = new RestoredState(tables, options.revision());
      if (restored.revision < restored.found.revision()) {
        restored.rewindKeys();
        restored.rewindLeases(restored.rewoundKeys());
      }
      restored.dropEvents();
      restored.dropSessions();
      restored.renewLeases();
      restored.flush(restored.stateWith(options.bump()));
      tables.checkpoint(snapshot);
      return StateSummary.of(tables);
    }
  }

  /** Each key's newest row becomes what it was. */
  private void rewindKeys() {
    Versions versions = new Versions(tables);
    try (TableCursor rows = tables.scan(Table.LATEST, FIRST, null, false)) {
      while (rows.next()) {
        LatestRow row = LatestRow.decode(rows.value());
        if (row.modRevision() > revision) {
          Bytes key = Bytes.wrapUnsafe(rows.key());
          LatestRow then = versions.rowAt(revision, key, row);
          set(Table.LATEST, rows.key(), then == null ? null : then.encode());
        }
      }
    }
    write();
  }

  /** What hangs on leases now, as rows of {@link Table#LEASE}. */
  private NavigableSet<byte[]> rewoundKeys() {
    NavigableSet<byte[]> attached = new TreeSet<>(Arrays::compareUnsigned);
    try (TableCursor rows = tables.scan(Table.LATEST, FIRST, null, false)) {
      while (rows.next()) {
        long lease = LatestRow.decode(rows.value()).lease();
        if (lease != 0) {
          attached.add(LeaseRow.key(lease, rows.key()));
        }
      }
    }
    return attached;
  }

  /** Like the store itself, this holds what hangs on leases on the heap, and nothing else. */
  private void rewindLeases(NavigableSet<byte[]> attached) {
    TreeSet<byte[]> leases = new TreeSet<>(Arrays::compareUnsigned);
    try (TableCursor rows = tables.scan(Table.LEASE, FIRST, null, false)) {
      while (rows.next()) {
        if (rows.key().length == Long.BYTES) {
          leases.add(rows.key());
        } else if (!attached.contains(rows.key())) {
          set(Table.LEASE, rows.key(), null);
        }
      }
    }
    LeaseRow back = LeaseRow.granted(LEASE_TTL_MILLIS, found.applied().index(), LeaseKind.USER);
    for (byte[] row : attached) {
      set(Table.LEASE, row, FIRST);
      byte[] lease = Arrays.copyOf(row, Long.BYTES);
      if (leases.add(lease)) {
        set(Table.LEASE, lease, back.encode());
      }
    }
    write();
  }

  private void dropEvents() {
    try (TableCursor rows = tables.scan(Table.REV, RevRow.key(revision + 1, 0), null, false)) {
      while (rows.next()) {
        set(Table.REV, rows.key(), null);
      }
    }
    write();
  }

  /** And what is remembered of commands that this state does not hold. */
  private void dropSessions() {
    try (TableCursor rows = tables.scan(Table.SESSION, FIRST, null, false)) {
      while (rows.next()) {
        if (!Replies.isRecord(rows.key())) {
          set(Table.SESSION, rows.key(), null);
          continue;
        }
        ByteBuffer record = ByteBuffer.wrap(rows.value());
        if (Replies.recordedResult(record).header().revision() > revision) {
          set(Table.SESSION, rows.key(), null);
          set(Table.LEASE, LeaseRow.key(record.getLong(0)), null);
        }
      }
    }
    write();
  }

  private void renewLeases() {
    try (TableCursor rows = tables.scan(Table.LEASE, FIRST, null, false)) {
      while (rows.next()) {
        if (rows.key().length > Long.BYTES) {
          continue;
        }
        LeaseRow lease = LeaseRow.decode(rows.value());
        boolean isSession = lease.kind() == LeaseKind.SESSION;
        byte[] renewed = lease.renewed(lease.renewedIndex()).encode();
        set(Table.LEASE, rows.key(), isSession ? null : renewed);
      }
    }
    write();
  }

  private StoreState stateWith(long bump) {
    long bumped = Math.addExact(revision, bump);
    long compacted = bump == 0 ? found.compactRevision() : bumped;
    EntryId applied = found.applied();
    StoreState state =
        new StoreState(
            applied, bumped, compacted, found.logTimeMillis(), Membership.EMPTY, found.space());
    return state.withSpace(spaceIn(state));
  }

  /** Counted anew; the events that stay have their sums already, which begin where they did. */
  private Space spaceIn(StoreState state) {
    Space before = found.space();
    Space counted = SpaceCount.of(tables, state);
    long reclaimed = before.reclaimedBytes();
    long superseded = reclaimed + counted.supersededBytes();
    return new Space(
            before.quotaBytes(), counted.usedBytes(), superseded, reclaimed, before.alarm())
        .settled(false);
  }

  private void flush(StoreState state) {
    set(Table.META, StoreState.rowKey(), state.encode(RowSum.of(tables)));
    write();
    tables.flush();
  }

  /**
   * Changes a row, with the next batch.
   *
   * @param value null: it goes
   */
  private void set(Table table, byte[] key, byte @Nullable [] value) {
    if (value == null) {
      batch.delete(table, key);
    } else {
      batch.put(table, key, value);
    }
    if (batch.sizeBytes() >= BATCH_BYTES_MAX) {
      write();
    }
  }

  private void write() {
    if (batch.sizeBytes() > 0) {
      tables.write(batch);
      batch = tables.batch();
    }
  }
}
