package io.kvorum.server.store.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.RealDisk;
import io.kvorum.server.store.RowRange;
import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableBatch;
import io.kvorum.server.store.TableCursor;
import io.kvorum.server.store.TableSnapshot;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.RocksDBException;

/** Removals of rows that have files for themselves. */
class DeadFilesTest {
  private static final int ROWS = 1_000;

  @TempDir Path directory;
  private RocksTables tables;

  @BeforeEach
  void open() {
    tables = RocksTables.open(RealDisk.at(directory), RocksSettings.DEFAULT);
  }

  @AfterEach
  void close() {
    tables.close();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(10).putLong(number).array();
  }

  private static List<byte[]> keys(int from, int to) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = from; i < to; i++) {
      keys.add(key(i));
    }
    return keys;
  }

  private void put(int from, int to) {
    TableBatch batch = tables.batch();
    keys(from, to).forEach(key -> batch.put(Table.REV, key, new byte[300]));
    tables.write(batch);
    tables.flush();
  }

  /** Rows 0 to 999 in one file, and so on; none of them on the uppermost level. */
  private void putFiles(int count) throws RocksDBException {
    for (int i = 0; i < count; i++) {
      put(i * ROWS, (i + 1) * ROWS);
      tables
          .database()
          .compactRange(tables.family(Table.REV), key(i * ROWS), key((i + 1) * ROWS - 1));
    }
    assertThat(files()).hasSize(count).allMatch(file -> file.level() > 0);
  }

  private List<LiveFileMetaData> files() {
    List<LiveFileMetaData> files = new ArrayList<>(tables.database().getLiveFilesMetaData());
    files.removeIf(file -> !Arrays.equals(file.columnFamilyName(), Table.REV.labelBytes()));
    return files;
  }

  private int rows() {
    int rows = 0;
    try (TableCursor all = tables.scan(Table.REV, new byte[0], null, false)) {
      while (all.next()) {
        rows++;
      }
    }
    return rows;
  }

  private void merge() throws RocksDBException {
    ColumnFamilyHandle family = tables.family(Table.REV);
    tables.database().compactRange(family);
  }

  @Test
  void filesOfNothingElseAreDroppedAndOfTheOthersTheRows() throws RocksDBException {
    putFiles(4);
    removeAllIn(0, 2 * ROWS);
    assertThat(files()).as("nothing was written").hasSize(2);
    assertThat(files()).allMatch(file -> file.numDeletions() == 0);
    removeAllIn(2 * ROWS, 3 * ROWS + 100);
    assertThat(rows()).isEqualTo(ROWS - 100);
    assertThat(tables.get(Table.REV, key(3 * ROWS + 99))).isNull();
    assertThat(tables.get(Table.REV, key(3 * ROWS + 100))).isNotNull();
    merge();
    assertThat(rows()).isEqualTo(ROWS - 100);
  }

  /** A row that was written twice is in two files: dropping one would bring back the other. */
  @Test
  void whereFilesOverlapTheirRowsAreRemoved() throws RocksDBException {
    putFiles(2);
    put(500, 501);
    removeAllIn(0, ROWS);
    assertThat(rows()).isEqualTo(ROWS);
    merge();
    assertThat(rows()).isEqualTo(ROWS);
    assertThat(tables.get(Table.REV, key(500))).isNull();
  }

  @Test
  void oneRowThatStaysKeepsItsFile() throws RocksDBException {
    putFiles(2);
    List<byte[]> keys = keys(0, ROWS);
    keys.remove(700);
    List<RowRange> emptied =
        List.of(new RowRange(key(0), key(699)), new RowRange(key(701), key(ROWS - 1)));
    tables.remove(Table.REV, keys, emptied);
    assertThat(rows()).isEqualTo(ROWS + 1);
    assertThat(tables.get(Table.REV, key(700))).isNotNull();
  }

  /** Values beside the tree have files of their own, which are not accounted for here. */
  @Test
  void largeValuesGoToo() throws RocksDBException {
    TableBatch batch = tables.batch();
    batch.put(Table.REV, key(-1), new byte[100_000]);
    tables.write(batch);
    putFilesBesideLarge();
    removeAllIn(0, ROWS);
    assertThat(rows()).isEqualTo(1);
  }

  private void removeAllIn(int from, int to) {
    tables.remove(Table.REV, keys(from, to), List.of(new RowRange(key(from), key(to - 1))));
  }

  private void putFilesBesideLarge() throws RocksDBException {
    put(0, ROWS);
    merge();
  }

  /** Whoever was pinned before is not told of any removal: so it must not meet one. */
  @Test
  void aSnapshotThatMayReadThemKeepsThem() throws RocksDBException {
    putFiles(2);
    BooleanSupplier unpinned = tables.unpinned();
    assertThat(unpinned.getAsBoolean()).isTrue();
    TableSnapshot later;
    BooleanSupplier isUnread;
    try (TableSnapshot before = tables.snapshot()) {
      isUnread = tables.unpinned();
      later = tables.snapshot();
      assertThat(isUnread.getAsBoolean()).isFalse();
      tables.remove(Table.REV, keys(0, ROWS), List.of());
      assertThat(before.get(Table.REV, key(5))).isNotNull();
    }
    assertThat(isUnread.getAsBoolean()).as("the later one does not count").isTrue();
    assertThat(later.get(Table.REV, key(5))).isNotNull();
    assertThat(unpinned.getAsBoolean()).isTrue();
    later.close();
    assertThat(rows()).isEqualTo(ROWS);
  }
}
