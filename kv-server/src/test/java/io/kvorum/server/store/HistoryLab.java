package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import io.kvorum.api.WatchEvent;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store whose history is also kept in the most naive way, and can be compacted: the store says
 * so, and the rows are gone.
 */
public final class HistoryLab {
  private final MemoryTables tables = new MemoryTables();
  private final KvStateMachine machine;
  private final AtomicLong compactRevision = new AtomicLong();
  private final List<WatchEvent> events = new ArrayList<>();
  private final NavigableMap<Bytes, KeyValue> live = new TreeMap<>();
  private final List<Entry> unapplied = new ArrayList<>();
  private long index;
  private long revision = 1;
  private Runnable whileReading = () -> {};

  /** A lab whose overlay is that small. */
  public HistoryLab(int overlayRows) {
    machine = Homes.open(tables, StoreOptions.DEFAULT.withOverlay(overlayRows, 1 << 20));
  }

  public KvStateMachine machine() {
    return machine;
  }

  /** The history, as the compact revision of this lab says. */
  public History history() {
    return new History(() -> tables, this::asked);
  }

  private long asked() {
    long now = compactRevision.get();
    Runnable next = whileReading;
    whileReading = () -> {};
    next.run();
    return now;
  }

  /** Right after the next question for the compact revision, this happens. */
  public void afterNextCheck(Runnable task) {
    whileReading = task;
  }

  /** Everything that has happened, in order. */
  public List<WatchEvent> events() {
    return List.copyOf(events);
  }

  public long revision() {
    return revision;
  }

  public long compactRevision() {
    return compactRevision.get();
  }

  public HistoryLab put(String key, String value) {
    return txn(List.of(Op.put(Bytes.utf8(key), Bytes.utf8(value))));
  }

  public HistoryLab delete(String key) {
    return txn(List.of(Op.delete(Bytes.utf8(key))));
  }

  /** Executes puts and deletes of different keys in one revision, if they change anything. */
  public HistoryLab txn(List<Op> ops) {
    long at = revision + 1;
    int before = events.size();
    for (Op op : ops) {
      if (op instanceof Op.Put put) {
        putInModel(put.key(), put.value(), at);
      } else if (op instanceof Op.DeleteRange delete) {
        List<Bytes> victims = live.keySet().stream().filter(delete.range()::contains).toList();
        victims.forEach(key -> deleteInModel(key, at));
      } else {
        throw new AssertionError("not in this lab: " + op);
      }
    }
    revision += events.size() > before ? 1 : 0;
    byte[] command = command(ops);
    unapplied.add(new Entry(++index, 1, EntryType.COMMAND, command));
    return this;
  }

  private static byte[] command(List<Op> ops) {
    if (ops.size() == 1 && ops.get(0) instanceof Op.Put put) {
      return Commands.put(put.key(), put.value(), PutOptions.DEFAULT, 1);
    }
    if (ops.size() == 1 && ops.get(0) instanceof Op.DeleteRange delete) {
      return Commands.deleteRange(delete.range(), DeleteOptions.DEFAULT, 1);
    }
    return Commands.txn(Txn.of(ops.toArray(Op[]::new)), 1);
  }

  private void putInModel(Bytes key, Bytes value, long at) {
    KeyValue old = live.get(key);
    KeyValue now =
        old == null
            ? new KeyValue(key, value, at, at, 1, 0)
            : new KeyValue(key, value, old.createRevision(), at, old.version() + 1, 0);
    live.put(key, now);
    events.add(new WatchEvent(WatchEvent.Type.PUT, now, Optional.ofNullable(old)));
  }

  private void deleteInModel(Bytes key, long at) {
    KeyValue old = live.remove(key);
    KeyValue now = new KeyValue(key, Bytes.EMPTY, 0, at, 0, 0);
    events.add(new WatchEvent(WatchEvent.Type.DELETE, now, Optional.of(old)));
  }

  /** An entry that changes nothing, as leaders and memberships make them. */
  public HistoryLab noOp() {
    unapplied.add(new Entry(++index, 1, EntryType.NO_OP, new byte[0]));
    return this;
  }

  /** Applies what was asked for. */
  public HistoryLab apply() {
    if (!unapplied.isEmpty()) {
      List<Entry> batch = List.copyOf(unapplied);
      unapplied.clear();
      List<ApplyResult> unused = machine.apply(batch);
    }
    return this;
  }

  /**
   * Compacts: says so, then removes. What is left of each key: the newest version at or before the
   * revision unless that is a deletion before it, and everything from the revision on. Does nothing
   * if that much is compacted already.
   */
  public void compact(long at) {
    if (at <= compactRevision.get()) {
      return;
    }
    compactRevision.set(at);
    TableBatch batch = tables.batch();
    Set<Bytes> found = new HashSet<>();
    byte[] end = RevRow.key(at + 1, 0);
    try (TableCursor rows = tables.scan(Table.REV, new byte[0], end, true)) {
      while (rows.next()) {
        long where = ByteBuffer.wrap(rows.key()).getLong();
        RevRow row = new RevRow(where, rows.value());
        boolean isNewest = found.add(row.key());
        if (where < at && (!isNewest || row.isDelete())) {
          batch.delete(Table.REV, rows.key());
        }
      }
    }
    tables.write(batch);
  }

  /** All keys that start so. */
  public static KeyRange prefix(String prefix) {
    return KeyRange.prefix(Bytes.utf8(prefix));
  }
}
