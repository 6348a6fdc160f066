package io.kvorum.server.store;

import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;

/**
 * Counts {@link Space} from all rows of a store: once, where a store of an earlier format or a
 * restored one has no count of its own. The same whatever compaction has removed so far.
 */
public final class SpaceCount {
  private static final byte[] FIRST = new byte[0];

  /** Takes the events behind the compact revision, in order. */
  @FunctionalInterface
  interface Visitor {
    /**
     * An event.
     *
     * @param place its key in {@link Table#REV}
     * @param superseded before it, since the compact revision
     */
    void visit(byte[] place, RevRow event, long superseded);
  }

  private final TableReader tables;
  private final long compactRevision;
  private final long revision;
  private long used;
  private long superseded;

  private SpaceCount(TableReader tables, StoreState state) {
    this.tables = tables;
    this.compactRevision = state.compactRevision();
    this.revision = state.revision();
  }

  /** What tables say that they take. */
  public static Space said(TableReader tables) {
    return StoreState.in(tables).space();
  }

  /** What the rows of tables come to, whatever they say. */
  public static Space counted(TableReader tables) {
    return of(tables, StoreState.in(tables));
  }

  /**
   * Counts; nothing of it has been given up, and there is no quota.
   *
   * @param state that the tables are in
   */
  static Space of(TableReader tables, StoreState state) {
    return of(tables, state, (place, event, superseded) -> {});
  }

  /** As above, and shows each event behind the compact revision. */
  static Space of(TableReader tables, StoreState state, Visitor visitor) {
    SpaceCount count = new SpaceCount(tables, state);
    count.addUnchanged();
    count.addEvents(visitor);
    count.addLeases();
    count.addResults();
    return new Space(0, count.used, count.superseded, 0, false);
  }

  /** Keys that have not changed since the compact revision. */
  private void addUnchanged() {
    try (TableCursor rows = tables.scan(Table.LATEST, FIRST, null, false)) {
      while (rows.next()) {
        LatestRow row = LatestRow.decode(rows.value());
        if (row.tombstone() || row.modRevision() > compactRevision) {
          continue;
        }
        boolean hasLength = row.value() != null || row.large() != null;
        int valueBytes =
            hasLength ? row.valueBytes() : event(row.modRevision(), row.modSub()).valueBytes();
        used += Space.ofVersion(rows.key().length, valueBytes);
      }
    }
  }

  /** All that happened since, and what that has replaced. */
  private void addEvents(Visitor visitor) {
    byte[] from = RevRow.key(compactRevision + 1, 0);
    // What is behind has run ahead of the state, and comes again.
    byte[] to = RevRow.key(revision + 1, 0);
    try (TableCursor rows = tables.scan(Table.REV, from, to, false)) {
      while (rows.next()) {
        RevRow event = new RevRow(RevRow.revision(rows.key()), rows.value());
        visitor.visit(rows.key(), event, superseded);
        add(event);
      }
    }
  }

  private void add(RevRow event) {
    long bytes = Space.ofVersion(event.keyBytes(), event.valueBytes());
    used += bytes;
    superseded += event.isDelete() ? bytes : 0;
    // Of a key that is put anew the previous event is a delete, if any.
    if (event.prevRevision() == 0 || event.version() == 1) {
      return;
    }
    RevRow replaced = event(event.prevRevision(), event.prevSub());
    long replacedBytes = Space.ofVersion(replaced.keyBytes(), replaced.valueBytes());
    superseded += replacedBytes;
    used += event.prevRevision() <= compactRevision ? replacedBytes : 0;
  }

  private RevRow event(long revision, int sub) {
    byte[] row = tables.get(Table.REV, RevRow.key(revision, sub));
    if (row == null) {
      throw new InvariantViolation("the event " + revision + "/" + sub + " is in the store");
    }
    return new RevRow(revision, row);
  }

  private void addLeases() {
    try (TableCursor rows = tables.scan(Table.LEASE, FIRST, null, false)) {
      while (rows.next()) {
        int attached = rows.key().length - Long.BYTES;
        used += attached == 0 ? Space.LEASE_BYTES : Space.ofAttached(attached);
      }
    }
  }

  private void addResults() {
    try (TableCursor rows = tables.scan(Table.SESSION, FIRST, null, false)) {
      while (rows.next()) {
        used += Replies.spaceBytes(rows.key(), ByteBuffer.wrap(rows.value()));
      }
    }
  }
}
