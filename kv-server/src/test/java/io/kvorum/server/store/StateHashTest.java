package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.disk.Disk;
import io.kvorum.raft.SnapshotMeta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The hash of a state, and what it notices. */
class StateHashTest {
  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  /** MurmurHash3_x64_128 with seed 0, as its author's code gives it. */
  @Test
  void theHashOfBytesIsMurmurs() {
    assertThat(StateHash.of(bytes(""), StateHash.ZERO)).isEqualTo(StateHash.ZERO);
    assertThat(StateHash.of(bytes("hello"), StateHash.ZERO))
        .hasToString("cbd8a7b341bd9b025b1e906a48ae1d19");
    assertThat(StateHash.of(bytes("The quick brown fox jumps over the lazy dog"), StateHash.ZERO))
        .hasToString("e34bbc7bbc071b6c7a433ca9c49a9347");
  }

  @Test
  void aRowIsItsTableKeyAndValue() {
    Set<StateHash> different = new HashSet<>();
    int rows = 0;
    for (Table table : Table.values()) {
      for (String[] row : new String[][] {{"ab", "c"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}}) {
        different.add(StateHash.ofRow(table, bytes(row[0]), bytes(row[1])));
        rows++;
      }
    }
    assertThat(different).hasSize(rows).doesNotContain(StateHash.ZERO);
  }

  /** In whatever order, and whatever has come and gone. */
  @Property(tries = 100)
  void aSumIsThatOfTheRowsThatAreLeft(@ForAll long seed) {
    Random random = new Random(seed);
    List<StateHash> hashes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      // Sums that carry, and differences that borrow.
      boolean isLarge = random.nextBoolean();
      hashes.add(new StateHash(random.nextLong(), isLarge ? -random.nextInt(9) : i));
    }
    StateHash sum = StateHash.ZERO;
    for (StateHash hash : hashes) {
      sum = sum.plus(hash);
    }
    Collections.shuffle(hashes, random);
    StateHash other = StateHash.ZERO;
    for (StateHash hash : hashes.subList(0, 10)) {
      other = other.plus(hash);
      sum = sum.minus(hash);
    }
    for (StateHash hash : hashes.subList(10, 20)) {
      other = other.plus(hash);
      sum = sum.minus(hash);
    }
    assertThat(sum).isEqualTo(StateHash.ZERO);
    for (StateHash hash : hashes) {
      other = other.minus(hash);
    }
    assertThat(other).isEqualTo(StateHash.ZERO);
  }

  /** FAULTS F148: one bit of any row that members agree on, and it is another hash. */
  @Test
  void everyBitOfEveryRowCounts() {
    MemoryTables tables = StoreUpgradeTest.tablesOfFormat4();
    KvStateMachine machine = Homes.open(tables, StoreOptions.DEFAULT);
    machine.flush();
    StateHash hash = RowSum.of(tables);
    int changed = 0;
    for (Table table : List.of(Table.LATEST, Table.LEASE, Table.SESSION)) {
      for (byte[][] row : rows(tables, table)) {
        if (table == Table.LATEST && LatestRow.isTombstone(row[1])) {
          continue;
        }
        for (int bit = 8; bit < 8 * row[1].length; bit++) {
          byte[] other = row[1].clone();
          other[bit / 8] ^= (byte) (1 << (bit % 8));
          put(tables, table, row[0], other);
          assertThat(RowSum.of(tables)).isNotEqualTo(hash);
          changed++;
        }
        put(tables, table, row[0], row[1]);
      }
    }
    assertThat(changed).isGreaterThan(2_000);
    assertThat(RowSum.of(tables)).isEqualTo(hash);
    assertThat(StoreState.in(tables).hash(hash)).isEqualTo(machine.stateHash());
  }

  private static List<byte[][]> rows(TableReader tables, Table table) {
    List<byte[][]> rows = new ArrayList<>();
    try (TableCursor cursor = tables.scan(table, new byte[0], null, false)) {
      while (cursor.next()) {
        rows.add(new byte[][] {cursor.key(), cursor.value()});
      }
    }
    return rows;
  }

  private static void put(Tables tables, Table table, byte[] key, byte[] value) {
    TableBatch batch = tables.batch();
    batch.put(table, key, value);
    tables.write(batch);
  }

  /** Large values are hashed where they are put, though they are not kept in the row. */
  @Test
  void aByteOfALargeValueCounts() {
    byte[] value = Script.value(5_000, 1).toByteArray();
    StateHash hash = hashAfterPut(value);
    value[4_321] ^= 1;
    assertThat(hashAfterPut(value)).isNotEqualTo(hash);
  }

  private static StateHash hashAfterPut(byte[] value) {
    HistoryLab lab = new HistoryLab(3);
    lab.put("k", new String(value, java.nio.charset.StandardCharsets.ISO_8859_1)).apply();
    return lab.machine().stateHash();
  }

  /** FAULTS F148: what a member's memory or disk did to a row before the files were hashed. */
  @Test
  void aSnapshotWhoseRowsAreNotItsHashIsRefused() {
    MemoryHome home = new MemoryHome(0);
    KvStateMachine from = KvStateMachine.open(home, StoreOptions.DEFAULT);
    Entries entries = Entries.random(8, 50);
    assertThat(from.apply(entries.log(0, 50))).hasSize(50);
    from.flush();
    Tables tables = (Tables) from.tables();
    byte[][] row = rows(tables, Table.LATEST).get(0);
    byte[] damaged = row[1].clone();
    damaged[damaged.length - 1] ^= 1;
    put(tables, Table.LATEST, row[0], damaged);
    Disk files = Installs.directory();
    // Whoever takes a snapshot finds it out; on the way it may still be damaged.
    tables.checkpoint(files);
    StoreState state = StoreState.in(tables);
    SnapshotMeta meta = new SnapshotMeta(state.applied(), state.membership());
    KvStateMachine machine = KvStateMachine.open(new MemoryHome(0), StoreOptions.DEFAULT);
    assertThat(machine.apply(entries.log(0, 20))).hasSize(20);
    StateHash before = machine.stateHash();
    assertThatThrownBy(() -> machine.install(files, meta))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("its hash is");
    assertThat(machine.stateHash()).isEqualTo(before);
    assertThat(machine.apply(entries.log(20, 50))).hasSize(30);
  }

  /** Each of what stands beside the rows. */
  @Test
  void theStateBesideTheRowsCounts() {
    HistoryLab lab = new HistoryLab(3);
    lab.put("k", "2").put("k", "3").apply();
    StateHash hash = lab.machine().stateHash();
    // An entry that changes nothing is no other state.
    lab.noOp().apply();
    assertThat(lab.machine().stateHash()).isEqualTo(hash);
    lab.compact(2);
    StateHash compacted = lab.machine().stateHash();
    assertThat(compacted).isNotEqualTo(hash);
    // A key that came and went leaves a revision behind.
    lab.put("x", "4").delete("x").apply();
    assertThat(lab.machine().stateHash()).isNotEqualTo(compacted);
    assertThat(lab.machine().get(Bytes.utf8("x"), 0)).isNotNull();
  }
}
