package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import io.kvorum.api.WatchEvent;
import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.SnapshotMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A store whose history is also kept in the most naive way, and in which the state of another one
 * can be installed.
 */
public final class HistoryLab {
  private final MemoryHome home = new MemoryHome(0);
  private final KvStateMachine machine;
  private final List<Entry> log = new ArrayList<>();
  private final List<WatchEvent> events = new ArrayList<>();
  private final NavigableMap<Bytes, KeyValue> live = new TreeMap<>();
  private final List<Entry> unapplied = new ArrayList<>();
  private long revision = 1;
  private int readsLeft;
  private int reads;
  private Runnable whileReading = () -> {};
  private Runnable whileReplacing = () -> {};

  /** A lab whose overlay is that small. */
  public HistoryLab(int overlayRows) {
    StoreOptions options = StoreOptions.DEFAULT.withOverlay(overlayRows, 1 << 20);
    machine = KvStateMachine.open(new Replaceable(), options);
  }

  public KvStateMachine machine() {
    return machine;
  }

  /** The home of its tables. */
  private final class Replaceable implements TablesHome {
    @Override
    public Tables open() {
      return home.open();
    }

    @Override
    public void replace(Disk files) {
      home.replace(files);
      // The old tables are gone, the new ones are not opened yet.
      whileReplacing.run();
    }

    @Override
    public TableSnapshot peek(Disk files) {
      return home.peek(files);
    }
  }

  /** The history of the machine; see {@link #afterNextCheck}. */
  public History history() {
    return new History(this::read, this::asked);
  }

  private TableReader read() {
    reads++;
    readsLeft--;
    if (readsLeft == 0) {
      throw new StateReplacedException("the lab");
    }
    return machine.tables();
  }

  /** How often the history was read. */
  public int reads() {
    return reads;
  }

  /** The n-th read of the history from now on meets an install. */
  public void replacedAtRead(int read) {
    readsLeft = read;
  }

  private long asked() {
    long now = machine.compactRevision();
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
    return machine.compactRevision();
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
    propose(EntryType.COMMAND, command);
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
    propose(EntryType.NO_OP, new byte[0]);
    return this;
  }

  private void propose(EntryType type, byte[] payload) {
    Entry entry = new Entry(log.size() + 1L, 1, type, payload);
    log.add(entry);
    unapplied.add(entry);
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

  /** Compacts, if that much is not compacted already: says so, then removes. */
  public void compact(long at) {
    apply();
    if (at > machine.compactRevision()) {
      propose(EntryType.COMMAND, Commands.compact(at, 1));
      apply();
      remove(machine);
    }
  }

  private static void remove(KvStateMachine machine) {
    while (machine.removedRevision() < machine.compactRevision()) {
      try (CompactionStep step = machine.prepareCompaction(1_000)) {
        step.run();
        machine.finishCompaction(step);
      }
    }
  }

  /**
   * What was asked for and not applied comes in a snapshot of another member.
   *
   * @param compactedAt the other one has compacted there
   * @param meanwhile happens when the old state is gone and the new one is not there yet
   */
  public void install(long compactedAt, Runnable meanwhile) {
    if (compactedAt > machine.compactRevision()) {
      propose(EntryType.COMMAND, Commands.compact(compactedAt, 1));
    }
    KvStateMachine other = KvStateMachine.open(new MemoryHome(0), StoreOptions.DEFAULT);
    if (!log.isEmpty()) {
      List<ApplyResult> unused = other.apply(log);
    }
    remove(other);
    Disk files = Installs.directory();
    SnapshotMeta meta = other.checkpoint().writeTo(files).meta();
    unapplied.clear();
    // Nothing else is applied meanwhile.
    whileReading = () -> {};
    whileReplacing = meanwhile;
    machine.install(files, meta);
  }

  /** All keys that start so. */
  public static KeyRange prefix(String prefix) {
    return KeyRange.prefix(Bytes.utf8(prefix));
  }
}
