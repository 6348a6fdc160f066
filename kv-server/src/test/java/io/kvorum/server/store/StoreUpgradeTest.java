package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.PutOptions;
import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Stores that an older version has written are opened, and are then as if this one had. */
class StoreUpgradeTest {
  /** A little of everything that a store can hold. */
  private static List<Entry> log() {
    List<Entry> log = new ArrayList<>();
    Membership members = Membership.of(List.of(new NodeId("n1"), new NodeId("n2")));
    log.add(new Entry(1, 1, EntryType.MEMBERSHIP, members.encode()));
    add(log, Commands.leaseGrant(7, 5_000, 1));
    add(log, Commands.leaseGrant(0, 60_000, true, Stamp.at(2)));
    long session = ScriptedLeases.chosen(3);
    add(log, put("small", 10, PutOptions.DEFAULT, Stamp.at(3)));
    add(log, put("leased", 20, PutOptions.DEFAULT.withLease(7), Stamp.at(4)));
    add(log, put("large", 1_025, PutOptions.DEFAULT, Stamp.at(5)));
    add(log, put("larger", 1_100, PutOptions.DEFAULT, Stamp.at(6)));
    add(log, put("larger", 1_200, PutOptions.DEFAULT, Stamp.at(7)));
    add(log, put("old", 1_300, PutOptions.DEFAULT, Stamp.at(8)));
    KeyRange old = KeyRange.single(Bytes.utf8("old"));
    Stamp once = Stamp.at(9).withIdempotency(ByteString.copyFromUtf8("i"), 5_000);
    add(log, Commands.deleteRange(old, DeleteOptions.DEFAULT, once));
    add(log, put("numbered", 0, PutOptions.DEFAULT, Stamp.at(10).withNumber(session, 1, 1)));
    add(log, put("numbered", 1, PutOptions.DEFAULT, Stamp.at(11).withNumber(session, 2, 2)));
    add(log, Commands.compact(4, 12));
    return log;
  }

  private static byte[] put(String key, int bytes, PutOptions how, Stamp stamp) {
    ByteString value = ByteString.copyFrom(Script.value(bytes, bytes).toByteArray());
    return Commands.put(ByteString.copyFromUtf8(key), value, how, stamp);
  }

  private static void add(List<Entry> log, byte[] command) {
    log.add(new Entry(log.size() + 1L, 1, EntryType.COMMAND, command));
  }

  private static KvStateMachine applied(TablesHome home) {
    KvStateMachine machine = KvStateMachine.open(home, StoreOptions.DEFAULT);
    assertThat(machine.apply(log())).hasSize(log().size());
    while (machine.removedRevision() < machine.compactRevision()) {
      try (CompactionStep step = machine.prepareCompaction(1_000)) {
        step.run();
        machine.finishCompaction(step);
      }
    }
    machine.flush();
    return machine;
  }

  /** What format 4 made of the log, row by row. */
  static MemoryTables tablesOfFormat4() {
    return tables("/store-format-4.rows");
  }

  /** What format 5 made of it. */
  private static MemoryTables tablesOfFormat5() {
    return tables("/store-format-5.rows");
  }

  private static MemoryTables tables(String resource) {
    MemoryTables tables = new MemoryTables();
    TableBatch batch = tables.batch();
    HexFormat hex = HexFormat.of();
    try (InputStream in = StoreUpgradeTest.class.getResourceAsStream(resource)) {
      for (String line : new String(in.readAllBytes(), UTF_8).lines().toList()) {
        String[] row = line.split(" = ?| ", -1);
        Table table = Table.valueOf(row[0].toUpperCase(Locale.ROOT));
        batch.put(table, hex.parseHex(row[1]), hex.parseHex(row[2].trim()));
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    tables.write(batch);
    tables.flush();
    return tables;
  }

  /** Every row; those of history that cannot be read any more are as they were written. */
  private static List<String> rows(TableReader tables) {
    List<String> rows = new ArrayList<>(Dump.of(tables));
    long compacted = StoreState.in(tables).compactRevision();
    try (TableCursor events = tables.scan(Table.REV, new byte[0], null, false)) {
      while (events.next()) {
        long revision = RevRow.revision(events.key());
        RevRow event = new RevRow(revision, events.value());
        HexFormat hex = HexFormat.of();
        String start = "rev " + hex.formatHex(events.key()) + " = ";
        if (revision <= compacted) {
          rows.replaceAll(
              row -> row.startsWith(start) ? start + hex.formatHex(event.counted(0)) : row);
        }
      }
    }
    return rows;
  }

  @Test
  void aStoreOfFormat4BecomesWhatThisVersionMakesOfTheLog() {
    becomesWhatThisVersionMakesOfTheLog(StoreUpgradeTest::tablesOfFormat4);
  }

  @Test
  void aStoreOfFormat5BecomesWhatThisVersionMakesOfTheLog() {
    becomesWhatThisVersionMakesOfTheLog(StoreUpgradeTest::tablesOfFormat5);
  }

  private static void becomesWhatThisVersionMakesOfTheLog(Supplier<MemoryTables> found) {
    MemoryTables tables = found.get();
    KvStateMachine machine = Homes.open(tables, StoreOptions.DEFAULT);
    KvStateMachine now = applied(new MemoryHome(0));
    assertThat(rows(tables)).isEqualTo(rows(now.tables()));
    assertThat(machine.space()).isEqualTo(now.space());
    ModelSpace.checkCount(tables);
    assertThat(machine.stateHash()).isEqualTo(now.stateHash());
    assertThat(machine.header()).isEqualTo(now.header());
    // It is the older one until it is flushed.
    assertThat(machine.flushedIndex()).isEqualTo(log().size());
    assertThat(Dump.of(tables.crash())).isEqualTo(Dump.of(found.get()));
  }

  /** A leader that was not upgraded yet sends one to a member that was. */
  @Test
  void aSnapshotOfFormat5HasTheHashThatItsVersionGaveItAndIsInstalled() {
    MemoryTables old = tablesOfFormat5();
    StateSummary said = StateSummary.verified(old);
    assertThat(said.hash()).hasToString("7698a81e0637027b68480b3ba99bb29f");
    Disk files = Installs.directory();
    old.checkpoint(files);
    KvStateMachine machine = KvStateMachine.open(new MemoryHome(0), StoreOptions.DEFAULT);
    machine.install(files, new SnapshotMeta(said.applied(), said.membership()));
    assertThat(machine.stateHash()).isEqualTo(applied(new MemoryHome(0)).stateHash());
    assertThat(machine.space()).isEqualTo(applied(new MemoryHome(0)).space());
  }

  @Test
  void anUpgradeThatWasCutShortBeginsAnew() {
    beginsAnew(StoreUpgradeTest::tablesOfFormat4);
    beginsAnew(StoreUpgradeTest::tablesOfFormat5);
  }

  private static void beginsAnew(Supplier<MemoryTables> old) {
    int calls = 0;
    while (true) {
      calls++;
      // Every write is durable at once.
      MemoryTables found = old.get();
      FaultyTables faulty = new FaultyTables(found, FaultyTables.Fault.BEFORE, calls);
      try {
        StateHash unused = StoreUpgrade.run(faulty);
      } catch (UncheckedIOException planned) {
        found.flush();
        KvStateMachine machine = Homes.open(found.crash(), StoreOptions.DEFAULT);
        assertThat(rows(machine.tables())).isEqualTo(rows(applied(new MemoryHome(0)).tables()));
        continue;
      }
      break;
    }
    assertThat(calls).isGreaterThan(5);
  }

  @Test
  void aStoreOfALaterFormatIsRefused() {
    MemoryTables tables = tablesOfFormat4();
    byte[] row = tables.get(Table.META, StoreState.rowKey()).clone();
    row[1] = 7;
    TableBatch batch = tables.batch();
    batch.put(Table.META, StoreState.rowKey(), row);
    tables.write(batch);
    assertThatThrownBy(() -> Homes.open(tables, StoreOptions.DEFAULT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("format 7")
        .hasMessageContaining("reads formats 4 to 6");
  }
}
