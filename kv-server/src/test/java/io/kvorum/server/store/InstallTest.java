package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.RangeOptions;
import io.kvorum.disk.Disk;
import io.kvorum.node.StateMachine.Checkpoint;
import io.kvorum.node.StateMachine.Written;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** A state that is installed in place of another one. */
class InstallTest {
  private static final StoreOptions SMALL = StoreOptions.DEFAULT.withOverlay(3, 1 << 20);

  private static KvStateMachine machine(Entries entries, long applied) {
    KvStateMachine machine = KvStateMachine.open(new MemoryHome(1), SMALL);
    if (applied > 0) {
      assertThat(machine.apply(entries.log(0, applied))).hasSize((int) applied);
    }
    return machine;
  }

  private static List<String> dump(KvStateMachine machine) {
    machine.flush();
    return Dump.of(machine.tables());
  }

  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE)
  void rowsAreEqualWhereverTheyHaveBeen(@ForAll long seed) {
    rowsAreEqual(seed, () -> new MemoryHome((int) (seed & 1)));
  }

  @Property(tries = 4, edgeCases = EdgeCasesMode.NONE)
  void rowsAreEqualWhereverTheyHaveBeenOnRocks(@ForAll long seed) throws IOException {
    Path directory = Files.createTempDirectory("kvorum-store");
    int[] homes = new int[1];
    try {
      rowsAreEqual(seed, () -> Medium.rocks(directory.resolve("db" + homes[0]++)));
    } finally {
      TestFiles.delete(directory);
    }
  }

  /** From store to store, each of which has other settings and knows another part of the log. */
  private static void rowsAreEqual(long seed, Supplier<? extends TablesHome> homes) {
    Random random = new Random(seed);
    Entries entries = Entries.random(seed, 120);
    List<Entry> log = entries.log(0, entries.size());
    KvStateMachine machine = KvStateMachine.open(homes.get(), SMALL);
    int applied = 0;
    while (applied < entries.size()) {
      int next = Math.min(entries.size(), applied + 1 + random.nextInt(40));
      assertThat(
              machine.apply(entries.log(applied, next)).stream()
                  .map(ScriptedStore::withoutWords)
                  .toList())
          .isEqualTo(entries.expected(applied, next));
      StoreOptions options = StoreOptions.DEFAULT.withOverlay(1 + random.nextInt(9), 1 << 20);
      KvStateMachine other = KvStateMachine.open(homes.get(), options);
      int beginning = random.nextInt(next + 1);
      applied = (int) Installs.move(machine, log, random.nextInt(9), other, beginning);
      machine.abandon();
      machine = other;
    }
    assertThat(dump(machine)).isEqualTo(dump(machine(entries, entries.size())));
    machine.close();
  }

  /** FAULTS F109: whatever there was, of every kind, is gone; whatever comes is there. */
  @Test
  void nothingOfTheOldStateSurvives() {
    SessionLab old = new SessionLab(new MemoryHome(0), StoreOptions.DEFAULT);
    long session = old.open();
    Stamp stamp = Stamp.at(5).withNumber(session, 1, 1);
    old.apply(Commands.deleteRange(KeyRange.all(), io.kvorum.api.DeleteOptions.DEFAULT, stamp));
    old.apply(Commands.leaseGrant(77, 5_000, 5));
    KvStateMachine machine = old.machine();
    Entries entries = Entries.random(3, 60);
    KvStateMachine from = machine(entries, 60);
    Disk files = Installs.directory();
    machine.install(files, from.checkpoint().writeTo(files).meta());
    assertThat(dump(machine)).isEqualTo(dump(from));
    assertThat(machine.header()).isEqualTo(from.header());
    assertThat(machine.leaseIds(LeaseKind.USER)).isEmpty();
    assertThat(SessionLab.kept(machine)).isEmpty();
    assertThat(machine.takeLeaseChanges())
        .containsExactlyInAnyOrder(new LeaseChange(77, null), new LeaseChange(session, null));
  }

  @Test
  void theMembershipComesWithTheState() {
    Membership members = Membership.of(List.of(new NodeId("n1"), new NodeId("n2")));
    Entry change = new Entry(1, 3, EntryType.MEMBERSHIP, members.encode());
    KvStateMachine from = KvStateMachine.open(new MemoryHome(0), SMALL);
    assertThat(from.apply(List.of(change))).hasSize(1);
    Disk files = Installs.directory();
    Written written = from.checkpoint().writeTo(files);
    assertThat(written.meta()).isEqualTo(new SnapshotMeta(new EntryId(1, 3), members));
    KvStateMachine machine = KvStateMachine.open(new MemoryHome(0), SMALL);
    machine.install(files, written.meta());
    assertThat(machine.membership()).isEqualTo(members);
  }

  @Test
  void whatIsNotTheSnapshotsIsRefusedAndNothingChanges() {
    Entries entries = Entries.random(4, 60);
    KvStateMachine from = machine(entries, 30);
    Disk files = Installs.directory();
    SnapshotMeta meta = from.checkpoint().writeTo(files).meta();
    KvStateMachine machine = machine(entries, 40);
    List<String> before = dump(machine);
    // Older than what is there.
    assertThatThrownBy(() -> machine.install(files, meta))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not replace");
    // Not what its manifest says.
    SnapshotMeta other = new SnapshotMeta(new EntryId(50, 9), Membership.EMPTY);
    assertThatThrownBy(() -> machine.install(files, other))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nothing was replaced");
    // No state at all.
    assertThatThrownBy(() -> machine.install(Installs.directory(), other))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(dump(machine)).isEqualTo(before);
    assertThat(machine.apply(entries.log(40, 60))).hasSize(20);
  }

  /** FAULTS F061, F063: as a start does that finds an install not finished. */
  @Test
  void anInstallThatFailsAnywhereIsFinishedByTheNextStart() {
    Entries entries = Entries.random(5, 60);
    KvStateMachine from = machine(entries, 40);
    Disk files = Installs.directory();
    SnapshotMeta meta = from.checkpoint().writeTo(files).meta();
    List<String> whole = dump(machine(entries, 60));
    int call = 1;
    for (boolean complete = false; !complete; call++) {
      MemoryHome home = new MemoryHome(1);
      KvStateMachine machine = KvStateMachine.open(home, SMALL);
      assertThat(machine.apply(entries.log(0, 20))).hasSize(20);
      FailingDisk failing = new FailingDisk(files, call);
      try {
        machine.install(failing, meta);
        complete = true;
      } catch (UncheckedIOException planned) {
        assertThat(failing.failed()).isTrue();
      }
      machine.abandon();
      home.replace(files);
      KvStateMachine next = KvStateMachine.open(home, SMALL);
      assertThat(next.restored()).isEqualTo(meta.last());
      assertThat(next.apply(entries.log(40, 60))).hasSize(20);
      assertThat(dump(next)).as("call %s", call).isEqualTo(whole);
    }
    assertThat(call).as("calls that failed").isGreaterThan(3);
  }

  /** The power goes right after an install: it was durable, whatever came before was not. */
  @Test
  void anInstalledStateIsDurable() {
    Entries entries = Entries.random(6, 60);
    KvStateMachine from = machine(entries, 40);
    Disk files = Installs.directory();
    SnapshotMeta meta = from.checkpoint().writeTo(files).meta();
    MemoryHome home = new MemoryHome(0);
    KvStateMachine machine = KvStateMachine.open(home, SMALL);
    assertThat(machine.apply(entries.log(0, 30))).hasSize(30);
    machine.install(files, meta);
    assertThat(machine.apply(entries.log(40, 50))).hasSize(10);
    machine.abandon();
    KvStateMachine next = KvStateMachine.open(home, SMALL);
    assertThat(next.restored()).isEqualTo(meta.last());
    assertThat(dump(next)).isEqualTo(dump(machine(entries, 40)));
  }

  /** FAULTS F099. */
  @Test
  void readsThatWerePinnedBeforeAreToldSo() {
    Entries entries = Entries.random(7, 60);
    KvStateMachine from = machine(entries, 40);
    KvStateMachine machine = machine(entries, 20);
    Disk files = Installs.directory();
    SnapshotMeta meta = from.checkpoint().writeTo(files).meta();
    final Checkpoint late = machine.checkpoint();
    try (RangeScan scan = machine.prepareRange(KeyRange.all(), RangeOptions.DEFAULT)) {
      machine.install(files, meta);
      assertThatThrownBy(scan::run).isInstanceOf(StateReplacedException.class);
    }
    assertThatThrownBy(() -> late.writeTo(Installs.directory()))
        .isInstanceOf(StateReplacedException.class);
    assertThat(machine.range(KeyRange.all(), RangeOptions.DEFAULT))
        .isEqualTo(from.range(KeyRange.all(), RangeOptions.DEFAULT));
  }

  /**
   * FAULTS F063, F145: what a step has found in tables that are gone is not removed from others.
   */
  @Test
  void aStepOfTheRemovalEndsWithItsTables() {
    HistoryLab old = new HistoryLab(3);
    Bytes key = Bytes.utf8("k");
    old.put("k", "2").put("k", "3").put("k", "4").apply();
    KvStateMachine machine = old.machine();
    Entry compact = new Entry(4, 1, EntryType.COMMAND, Commands.compact(3, 1));
    assertThat(machine.apply(List.of(compact))).hasSize(1);
    try (CompactionStep step = machine.prepareCompaction(1_000)) {
      step.run();
      Entries entries = new Entries();
      for (int i = 0; i < 10; i++) {
        entries.put(key, 3, false);
      }
      KvStateMachine from = machine(entries, 10);
      Disk files = Installs.directory();
      machine.install(files, from.checkpoint().writeTo(files).meta());
      machine.finishCompaction(step);
      assertThat(dump(machine)).isEqualTo(dump(from));
      assertThat(machine.get(key, 2)).isEqualTo(from.get(key, 2));
    }
  }
}
