package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.api.Header;
import io.kvorum.api.KvException.Reason;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.SnapshotMeta;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The row {@code state} of {@link Table#META}: how far the tables are. It is written in one batch
 * with the rows of {@link Table#LATEST} that belong to it. Big-endian:
 *
 * <pre>u16 format version, 6 | u64 appliedIndex | u64 appliedTerm | u64 revision
 * | u64 compactRevision | u64 logTimeMillis | u128 hash of the rows of other tables
 * | 33 bytes of {@link Space} | membership, to the end of the row</pre>
 *
 * <p>Format 5 has no space, format 4 no hash either: {@link StoreUpgrade}. The membership is what
 * {@link Membership#encode} makes of it; nothing while it is empty.
 *
 * @param applied the last entry whose effect the tables hold
 * @param revision of the store; 1 before the first change, as in etcd; never goes back
 * @param compactRevision the oldest revision that can be read; 0: all
 * @param logTimeMillis the largest time stamp in the log, milliseconds since the epoch; 0: none yet
 * @param membership of the newest entry that changed it; empty if none has yet
 * @param space that it takes, and may take
 */
record StoreState(
    EntryId applied,
    long revision,
    long compactRevision,
    long logTimeMillis,
    Membership membership,
    Space space) {
  static final StoreState INITIAL =
      new StoreState(EntryId.ZERO, 1, 0, 0, Membership.EMPTY, Space.EMPTY);

  private static final byte[] ROW_KEY = "state".getBytes(UTF_8);
  private static final short FORMAT_VERSION = 6;
  private static final short FORMAT_WITHOUT_SPACE = 5;
  private static final short FORMAT_WITHOUT_HASH = 4;
  private static final int HASH_AT = 2 + 5 * 8;
  private static final int SPACE_AT = HASH_AT + StateHash.BYTES;

  StoreState {
    InvariantViolation.check(
        revision >= 1 && compactRevision >= 0 && compactRevision <= revision,
        "0 <= compactRevision <= revision");
  }

  /**
   * What tables say of themselves.
   *
   * @throws IllegalStateException if another version of the format is in there, or no store
   */
  static StoreState in(TableReader tables) {
    byte[] row = tables.get(Table.META, rowKey());
    if (row == null) {
      // Events may run ahead of the first state; keys never do.
      try (TableCursor keys = tables.scan(Table.LATEST, new byte[0], null, false)) {
        if (keys.next()) {
          throw new IllegalStateException("the store has keys, but does not say what it is");
        }
      }
    }
    return decode(row);
  }

  /**
   * Checks that this state is what its snapshot says, and may take the place of another one.
   *
   * @param replaced the last entry in the other one
   * @param replacedRevision its revision; 0: it may be wrong
   * @throws IllegalStateException if not
   */
  void checkInstallable(SnapshotMeta meta, EntryId replaced, long replacedRevision) {
    // Before any entry has changed the membership, it is not part of the state.
    boolean isMembership = membership.isEmpty() || membership.equals(meta.membership());
    if (!applied.equals(meta.last()) || !isMembership) {
      throw new IllegalStateException(
          "the snapshot is of "
              + meta
              + ", but its files hold the state after "
              + applied
              + " with "
              + membership
              + "; nothing was replaced");
    }
    if (applied.index() < replaced.index() || revision < replacedRevision) {
      throw new IllegalStateException(
          "a state after " + applied + " does not replace one after " + replaced);
    }
  }

  /** Why nothing can be read as of this revision, or null. 0: now. */
  @Nullable Refusal refuseRevision(long asOf) {
    if (asOf < 0) {
      return new Refusal(Reason.INVALID_ARGUMENT, "the revision is negative: " + asOf);
    }
    if (asOf > revision) {
      return new Refusal(
          Reason.REVISION_IN_FUTURE,
          "revision " + asOf + " does not exist yet, the newest is " + revision);
    }
    if (asOf != 0 && asOf < compactRevision) {
      return new Refusal(
          Reason.REVISION_COMPACTED,
          "revision " + asOf + " is compacted, the oldest is " + compactRevision);
    }
    return null;
  }

  /** Why history cannot be given up before this revision, or null. */
  @Nullable Refusal refuseCompaction(long before) {
    if (before <= compactRevision) {
      return new Refusal(
          Reason.REVISION_COMPACTED,
          "required revision has been compacted: history before "
              + compactRevision
              + " is given up already, not only before "
              + before);
    }
    return before > revision ? refuseRevision(before) : null;
  }

  /** Where a store in this state stands. The term is that of the last applied entry. */
  Header header() {
    return new Header(revision, applied.term(), applied.index(), logTimeMillis);
  }

  /** The next entry is the one behind the last that was applied. */
  void checkFollowedBy(Entry entry) {
    if (entry.index() != applied.index() + 1 || entry.term() < applied.term()) {
      throw new InvariantViolation("entry " + entry + " does not follow " + applied);
    }
  }

  /** After one more entry. */
  StoreState advancedTo(EntryId entry, long timeMillis) {
    return new StoreState(entry, revision, compactRevision, timeMillis, membership, space);
  }

  StoreState withRevision(long now) {
    return new StoreState(applied, now, compactRevision, logTimeMillis, membership, space);
  }

  StoreState withMembership(Membership now) {
    return new StoreState(applied, revision, compactRevision, logTimeMillis, now, space);
  }

  StoreState withCompactRevision(long before) {
    return new StoreState(applied, revision, before, logTimeMillis, membership, space);
  }

  StoreState withSpace(Space now) {
    return now.equals(space)
        ? this
        : new StoreState(applied, revision, compactRevision, logTimeMillis, membership, now);
  }

  /** The key of the row. */
  static byte[] rowKey() {
    return ROW_KEY;
  }

  /**
   * Reads the row; {@link #INITIAL} when there is none.
   *
   * @throws IllegalStateException if another version wrote it
   */
  static StoreState decode(byte @Nullable [] row) {
    if (row == null) {
      return INITIAL;
    }
    ByteBuffer in = ByteBuffer.wrap(row);
    int membersAt = membersAt(format(row));
    EntryId applied = new EntryId(in.getLong(2), in.getLong(10));
    in.position(18);
    long revision = in.getLong();
    long compactRevision = in.getLong();
    long logTimeMillis = in.getLong();
    boolean isCounted = membersAt > SPACE_AT;
    Space space = isCounted ? Space.read(in.position(SPACE_AT)) : Space.UNCOUNTED;
    byte[] members = new byte[row.length - membersAt];
    in.get(membersAt, members);
    Membership membership = members.length == 0 ? Membership.EMPTY : Membership.decode(members);
    return new StoreState(applied, revision, compactRevision, logTimeMillis, membership, space);
  }

  /**
   * The hash of rows in an encoded row; null in format 4.
   *
   * @throws IllegalStateException as {@link #decode}
   */
  static @Nullable StateHash rows(byte[] row) {
    return format(row) == FORMAT_WITHOUT_HASH
        ? null
        : StateHash.read(ByteBuffer.wrap(row).position(HASH_AT));
  }

  /**
   * The hash of the state in tables, as they say.
   *
   * @throws IllegalStateException as {@link #in}, or if they are of format 4
   */
  static StateHash hashIn(TableReader tables) {
    byte[] row = tables.get(Table.META, ROW_KEY);
    StateHash rows = row == null ? StateHash.ZERO : rows(row);
    if (rows == null) {
      throw new IllegalStateException("the store has format 4, which has no hash");
    }
    return in(tables).hash(rows);
  }

  /** As {@link #hashIn}, null if they are of format 4. */
  static @Nullable StateHash knownHashIn(TableReader tables) {
    byte[] row = tables.get(Table.META, ROW_KEY);
    return row != null && rows(row) == null ? null : hashIn(tables);
  }

  /** The format of a row that this version reads. */
  private static short format(byte[] row) {
    short format = row.length < 2 ? 0 : ByteBuffer.wrap(row).getShort();
    boolean isKnown = format >= FORMAT_WITHOUT_HASH && format <= FORMAT_VERSION;
    if (!isKnown || row.length < membersAt(format)) {
      throw new IllegalStateException(
          "the store has format "
              + format
              + " in a row of "
              + row.length
              + " bytes; this version of Kvorum reads formats "
              + FORMAT_WITHOUT_HASH
              + " to "
              + FORMAT_VERSION);
    }
    return format;
  }

  private static int membersAt(short format) {
    if (format == FORMAT_WITHOUT_HASH) {
      return HASH_AT;
    }
    return format == FORMAT_WITHOUT_SPACE ? SPACE_AT : SPACE_AT + Space.BYTES;
  }

  /**
   * Encodes the row.
   *
   * @param rows hash of the rows that belong to it
   */
  byte[] encode(StateHash rows) {
    InvariantViolation.check(space.isCounted(), "a store that is written to is counted");
    byte[] members = members();
    ByteBuffer out =
        ByteBuffer.allocate(SPACE_AT + Space.BYTES + members.length)
            .putShort(FORMAT_VERSION)
            .putLong(applied.index())
            .putLong(applied.term())
            .putLong(revision)
            .putLong(compactRevision)
            .putLong(logTimeMillis);
    rows.write(out);
    space.write(out);
    return out.put(members).array();
  }

  private byte[] members() {
    return membership.isEmpty() ? new byte[0] : membership.encode();
  }

  /**
   * The hash of the whole state. Where it stands in the log is not in it: states are compared that
   * stand at the same place.
   *
   * @param rows hash of the rows that belong to it
   */
  StateHash hash(StateHash rows) {
    byte[] members = members();
    // A state of format 5 has the hash that its version has given it.
    byte[] counted = space.isCounted() ? space.hashed() : new byte[0];
    byte[] rest =
        ByteBuffer.allocate(3 * Long.BYTES + counted.length + members.length)
            .putLong(revision)
            .putLong(compactRevision)
            .putLong(logTimeMillis)
            .put(counted)
            .put(members)
            .array();
    return rows.plus(StateHash.ofRow(Table.META, ROW_KEY, rest));
  }
}
