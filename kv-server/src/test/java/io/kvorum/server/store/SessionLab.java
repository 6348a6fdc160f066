package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A store with its log: what was applied can be crashed, replayed, and applied anew elsewhere. */
final class SessionLab {
  private TablesHome home;
  private final StoreOptions options;
  private final List<Entry> log = new ArrayList<>();
  private KvStateMachine machine;

  SessionLab(TablesHome home, StoreOptions options) {
    this.home = home;
    this.options = options;
    this.machine = KvStateMachine.open(home, options);
  }

  KvStateMachine machine() {
    return machine;
  }

  /** The index of the next entry. */
  long nextIndex() {
    return log.size() + 1L;
  }

  ApplyResult apply(byte[] command) {
    Entry entry = new Entry(nextIndex(), 1, EntryType.COMMAND, command);
    log.add(entry);
    return machine.apply(List.of(entry)).get(0);
  }

  /** Begins a session: its id. */
  long open() {
    ApplyResult result = apply(Commands.leaseGrant(0, 60_000, true, Stamp.at(0)));
    return ((ApplyResult.LeaseGranted) result).result().id();
  }

  /** Says that the time of a lease, a session or a record is over. */
  ApplyResult expire(long id) {
    LeaseRow row = machine.lease(id);
    return apply(Commands.leaseExpire(id, row == null ? 0 : row.renewedIndex(), 0));
  }

  /** The only lease of that kind. */
  long only(LeaseKind kind) {
    assertThat(machine.leaseIds(kind)).hasSize(1);
    return machine.leaseIds(kind).get(0);
  }

  /** Loses what is not durable, and replays the log in batches of that size. */
  void crash(int batch) {
    machine.abandon();
    machine = KvStateMachine.open(home, options);
    replay(machine, batch);
  }

  /** Everything that was applied reaches the tables, and comes back from there. */
  void reopen() {
    machine.close();
    machine = KvStateMachine.open(home, options);
    assertThat(machine.restored().index()).isEqualTo(log.size());
  }

  /** The state goes to another home by a snapshot, in place of that of a shorter log. */
  void install(TablesHome other, int beginning) {
    KvStateMachine there = KvStateMachine.open(other, options);
    assertThat(Installs.move(machine, log, 0, there, beginning)).isEqualTo(log.size());
    machine.abandon();
    home = other;
    machine = there;
  }

  private void replay(KvStateMachine into, int batch) {
    int applied = (int) into.restored().index();
    while (applied < log.size()) {
      int next = Math.min(log.size(), applied + batch);
      assertThat(into.apply(log.subList(applied, next))).hasSize(next - applied);
      applied = next;
    }
  }

  /** All that is kept of leases and results, as hexadecimal digits. */
  static Map<String, String> kept(KvStateMachine machine) {
    HexFormat hex = HexFormat.of();
    Map<String, String> kept = new TreeMap<>();
    machine.forEachReply((key, row) -> kept.put(hex.formatHex(key), hex.formatHex(row)));
    for (LeaseKind kind : LeaseKind.values()) {
      machine.leaseIds(kind).forEach(id -> kept.put("lease " + id, "" + machine.lease(id)));
    }
    return kept;
  }

  /** FAULTS F109: a member with the full log knows the same, however this one came about. */
  void checkAgainstFullLog() {
    KvStateMachine other = Homes.open(new MemoryTables(), StoreOptions.DEFAULT);
    replay(other, 1);
    assertThat(kept(machine)).isEqualTo(kept(other));
    assertThat(machine.header()).isEqualTo(other.header());
    assertThat(machine.stateHash()).isEqualTo(other.stateHash());
    assertThat(StoreState.in(machine.tables()).hash(RowSum.of(machine.tables())))
        .isEqualTo(machine.stateHash());
    assertThat(machine.space()).isEqualTo(other.space());
    ModelSpace.checkCount(machine.tables());
  }

  static Bytes key(String name) {
    return Bytes.utf8(name);
  }
}
