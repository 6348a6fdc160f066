package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.PutOptions;
import io.kvorum.disk.Disk;
import io.kvorum.protocol.Wire;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What a new group begins with. */
class RestoredStateTest {
  private static final RestoredState.Options NEWEST = new RestoredState.Options(0, 0);

  /** A home with what a checkpoint of this store holds. */
  private static <H extends TablesHome> H copy(KvStateMachine machine, H home) {
    Disk files = Installs.directory();
    assertThat(machine.checkpoint().writeTo(files).meta().last().index()).isPositive();
    home.replace(files);
    return home;
  }

  private static StateSummary restore(TablesHome home, RestoredState.Options options) {
    StateSummary made = RestoredState.make(home, options, Installs.directory());
    try (Tables tables = home.open()) {
      assertThat(StateSummary.verified(tables)).isEqualTo(made);
    }
    return made;
  }

  private static List<String> rows(TableReader tables, Table... wanted) {
    List<String> prefixes = List.of(wanted).stream().map(table -> table.label() + " ").toList();
    return Dump.of(tables).stream()
        .filter(row -> prefixes.stream().anyMatch(row::startsWith))
        .toList();
  }

  @Property(tries = 40, edgeCases = EdgeCasesMode.NONE)
  void aStateAsOfARevisionIsThatOfAStoreThatNeverWentFurther(@ForAll long seed) {
    isAsIfItHadNeverGoneFurther(seed, () -> new MemoryHome(0));
  }

  @Property(tries = 2, edgeCases = EdgeCasesMode.NONE)
  void soItIsOnRocks(@ForAll long seed) throws IOException {
    Path directory = Files.createTempDirectory("kvorum-restore");
    int[] homes = new int[1];
    try {
      isAsIfItHadNeverGoneFurther(seed, () -> Medium.rocks(directory.resolve("db" + homes[0]++)));
    } finally {
      TestFiles.delete(directory);
    }
  }

  private static void isAsIfItHadNeverGoneFurther(long seed, Supplier<? extends TablesHome> homes) {
    Entries entries = Entries.random(seed, 120);
    KvStateMachine machine = KvStateMachine.open(homes.get(), StoreOptions.DEFAULT);
    assertThat(machine.apply(entries.log(0, entries.size()))).hasSize(entries.size());
    long newest = machine.header().revision();
    long revision = 1 + new Random(seed).nextLong(newest);
    TablesHome home = copy(machine, homes.get());
    StateSummary state = restore(home, new RestoredState.Options(revision, 0));
    assertThat(state.revision()).isEqualTo(revision);
    assertThat(state.applied().index()).isEqualTo(entries.size());

    KvStateMachine other = KvStateMachine.open(homes.get(), StoreOptions.DEFAULT);
    for (int i = 0; i < entries.size(); i++) {
      if (entries.expected(i, i + 1L).get(0).header().revision() > revision) {
        break;
      }
      assertThat(other.apply(entries.log(i, i + 1L))).hasSize(1);
    }
    other.flush();
    KvStateMachine restored = KvStateMachine.open(home, StoreOptions.DEFAULT);
    Table[] all = {Table.LATEST, Table.REV, Table.LEASE, Table.SESSION};
    assertThat(rows(restored.tables(), all)).isEqualTo(rows(other.tables(), all));
    assertThat(restored.space()).isEqualTo(other.space());
    ModelSpace.checkCount(restored.tables());

    Bytes key = Script.KEYS.get(0);
    Entry next = put(entries.size() + 1L, key, PutOptions.DEFAULT);
    assertThat(restored.apply(List.of(next)).get(0).header().revision()).isEqualTo(revision + 1);
    List.of(machine, other, restored).forEach(KvStateMachine::close);
  }

  private static Entry put(long index, Bytes key, PutOptions options) {
    byte[] command = Commands.put(key, Bytes.utf8("v" + index), options, 2_000);
    return new Entry(index, 99, EntryType.COMMAND, command);
  }

  /** The quota goes with a backup; what is used is counted anew, also where revisions jump. */
  @Test
  void theQuotaStaysAndTheCountIsRight() {
    for (long bump : new long[] {0, 1_000}) {
      MemoryHome home = new MemoryHome(0);
      SessionLab lab = new SessionLab(home, StoreOptions.DEFAULT);
      Stamp numbered = Stamp.at(0).withNumber(lab.open(), 1, 1);
      for (int i = 0; i < 3; i++) {
        lab.apply(Commands.put(Bytes.utf8("k"), Script.value(2_000, i), PutOptions.DEFAULT, 0));
      }
      lab.apply(Commands.compact(2, numbered));
      lab.apply(Commands.quota(5_000, 0));
      assertThat(lab.machine().space().alarm()).isTrue();
      MemoryHome other = copy(lab.machine(), new MemoryHome(0));
      restore(other, new RestoredState.Options(0, bump));
      KvStateMachine restored = KvStateMachine.open(other, StoreOptions.DEFAULT);
      ModelSpace.checkCount(restored.tables());
      assertThat(restored.space().quotaBytes()).isEqualTo(5_000);
      assertThat(restored.space().alarm()).isEqualTo(bump == 0);
      long revision = restored.header().revision();
      Entry next = put(lab.nextIndex(), Bytes.utf8("k"), PutOptions.DEFAULT);
      Entry compact =
          new Entry(next.index() + 1, 99, EntryType.COMMAND, Commands.compact(revision, 3_000));
      assertThat(restored.apply(List.of(next, compact))).hasSize(2);
      restored.flush();
      ModelSpace.checkCount(restored.tables());
    }
  }

  /** RocksDB may have flushed events whose entries count as not applied: others come there. */
  @Test
  void eventsAheadOfTheStateAreGone() {
    MemoryHome home = new MemoryHome(0);
    KvStateMachine machine = KvStateMachine.open(home, StoreOptions.DEFAULT);
    assertThat(machine.apply(List.of(put(1, Bytes.utf8("k"), PutOptions.DEFAULT)))).hasSize(1);
    machine.close();
    MemoryTables tables = home.open();
    TableBatch ahead = tables.batch();
    byte[] event = tables.get(Table.REV, RevRow.key(2, 0));
    assertThat(event).isNotNull();
    ahead.put(Table.REV, RevRow.key(3, 0), event);
    ahead.put(Table.REV, RevRow.key(3, 1), event);
    tables.write(ahead);
    tables.flush();
    assertThat(restore(home, NEWEST).revision()).isEqualTo(2);
    assertThat(rows(home.open(), Table.REV)).hasSize(1);
  }

  @Test
  void leasesHaveAllTheirTimeAndSessionsAreGone() {
    SessionLab lab = new SessionLab(new MemoryHome(0), StoreOptions.DEFAULT);
    long session = lab.open();
    Stamp numbered = Stamp.at(5).withNumber(session, 1, 1);
    Bytes key = Bytes.utf8("k");
    lab.apply(Commands.leaseGrant(7, 30_000, 0));
    lab.apply(
        Commands.put(
            Wire.toProto(key), Wire.toProto(key), PutOptions.DEFAULT.withLease(7), numbered));
    Stamp again = Stamp.at(6).withIdempotency(ByteString.copyFromUtf8("once"), 60_000);
    lab.apply(Commands.put(Wire.toProto(key), Wire.toProto(key), PutOptions.DEFAULT, again));
    lab.apply(Commands.put(key, key, PutOptions.DEFAULT.withLease(7), 7));
    LeaseRow granted = lab.machine().lease(7);
    lab.apply(Commands.leaseCheckpoint(java.util.Map.of(7L, granted.checkpoint(1_000)), 8));
    assertThat(lab.machine().lease(7).remainingMillis()).isEqualTo(1_000);
    long newest = lab.machine().header().revision();

    MemoryHome home = copy(lab.machine(), new MemoryHome(0));
    assertThat(restore(home, NEWEST).membership()).isEqualTo(Membership.EMPTY);
    KvStateMachine restored = KvStateMachine.open(home, StoreOptions.DEFAULT);
    assertThat(restored.lease(7).remainingMillis()).isEqualTo(30_000);
    assertThat(restored.leaseKeys(7)).containsExactly(key);
    assertThat(restored.leaseIds(LeaseKind.SESSION)).isEmpty();
    assertThat(restored.leaseIds(LeaseKind.IDEMPOTENCY)).hasSize(1);
    assertThat(SessionLab.kept(restored)).hasSize(3);
    Entry repeated = new Entry(lab.nextIndex(), 1, EntryType.COMMAND, again(key, again));
    assertThat(restored.apply(List.of(repeated)).get(0)).isInstanceOf(ApplyResult.Repeated.class);

    // Before the command with the idempotency key had its effect, it had not come.
    MemoryHome older = copy(lab.machine(), new MemoryHome(0));
    assertThat(restore(older, new RestoredState.Options(newest - 2, 0)).revision())
        .isEqualTo(newest - 2);
    KvStateMachine before = KvStateMachine.open(older, StoreOptions.DEFAULT);
    assertThat(before.leaseIds(LeaseKind.IDEMPOTENCY)).isEmpty();
    assertThat(before.leaseKeys(7)).containsExactly(key);
    assertThat(before.apply(List.of(repeated)).get(0)).isInstanceOf(ApplyResult.PutApplied.class);
  }

  private static byte[] again(Bytes key, Stamp stamp) {
    return Commands.put(Wire.toProto(key), Wire.toProto(key), PutOptions.DEFAULT, stamp);
  }

  @Test
  void aLeaseThatIsGoneIsBackForAMinuteIfKeysHungOnIt() {
    SessionLab lab = new SessionLab(new MemoryHome(0), StoreOptions.DEFAULT);
    Bytes key = Bytes.utf8("k");
    lab.apply(Commands.leaseGrant(7, 30_000, 0));
    lab.apply(Commands.put(key, key, PutOptions.DEFAULT.withLease(7), 1));
    long revision = lab.machine().header().revision();
    lab.apply(Commands.leaseRevoke(7, 2));
    MemoryHome home = copy(lab.machine(), new MemoryHome(0));
    restore(home, new RestoredState.Options(revision, 0));
    KvStateMachine restored = KvStateMachine.open(home, StoreOptions.DEFAULT);
    assertThat(restored.lease(7).ttlMillis()).isEqualTo(RestoredState.LEASE_TTL_MILLIS);
    assertThat(restored.leaseKeys(7)).containsExactly(key);
    Entry end = new Entry(lab.nextIndex(), 1, EntryType.COMMAND, Commands.leaseRevoke(7, 3));
    assertThat(restored.apply(List.of(end))).hasSize(1);
    assertThat(restored.range(io.kvorum.api.KeyRange.all(), io.kvorum.api.RangeOptions.DEFAULT))
        .isInstanceOfSatisfying(
            ReadOutcome.Answered.class,
            answer -> assertThat(answer.result().toString()).contains("keyValues=[]"));
  }

  /** Nobody who knows a revision of before finds another one under its number. */
  @Test
  void aBumpLeavesNoRevisionOfBeforeToRead() {
    SessionLab lab = new SessionLab(new MemoryHome(0), StoreOptions.DEFAULT);
    Bytes key = Bytes.utf8("k");
    lab.apply(Commands.put(key, key, PutOptions.DEFAULT, 1));
    MemoryHome home = copy(lab.machine(), new MemoryHome(0));
    StateSummary state = restore(home, new RestoredState.Options(0, 1_000));
    assertThat(state.revision()).isEqualTo(1_002);
    KvStateMachine restored = KvStateMachine.open(home, StoreOptions.DEFAULT);
    assertThat(restored.get(key, 0)).isInstanceOf(ReadOutcome.Answered.class);
    assertThat(restored.get(key, 1_002)).isInstanceOf(ReadOutcome.Answered.class);
    assertThat(restored.get(key, 2)).isInstanceOf(ReadOutcome.Refused.class);
    assertThat(restored.get(key, 1_001)).isInstanceOf(ReadOutcome.Refused.class);
    ApplyResult next = restored.apply(List.of(put(2, key, PutOptions.DEFAULT))).get(0);
    assertThat(next.header().revision()).isEqualTo(1_003);
  }

  @Test
  void aRevisionThatIsNotThereIsRefusedWithThoseThatAre() {
    SessionLab lab = new SessionLab(new MemoryHome(0), StoreOptions.DEFAULT);
    Bytes key = Bytes.utf8("k");
    for (int i = 0; i < 4; i++) {
      lab.apply(Commands.put(key, key, PutOptions.DEFAULT, 1));
    }
    lab.apply(Commands.compact(3, 2));
    for (long revision : new long[] {2, 6}) {
      MemoryHome home = copy(lab.machine(), new MemoryHome(0));
      RestoredState.Options options = new RestoredState.Options(revision, 0);
      assertThatThrownBy(() -> RestoredState.make(home, options, Installs.directory()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("holds the revisions 3 to 5");
    }
  }
}
