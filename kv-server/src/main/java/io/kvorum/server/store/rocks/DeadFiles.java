package io.kvorum.server.store.rocks;

import io.kvorum.server.store.RowRange;
import io.kvorum.server.store.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Files of a table in which every row is to go. They are dropped as they are: neither are removals
 * written for their rows, nor is anything merged.
 *
 * <p>Such a file lies in a range that is to be emptied. It has, besides, as many rows as there are
 * keys to remove between its first and its last one, no removals, and no other file has anything
 * there: so nothing that it hides can come back. Files of the uppermost level are left alone, as
 * RocksDB does, and those of a table with values beside the tree: these would have to be accounted
 * for.
 */
final class DeadFiles {
  /** A property of a table: how many files hold values of it, beside the tree. */
  static final String BLOB_FILES = "rocksdb.num-blob-files";

  private final RocksDB database;
  private final ColumnFamilyHandle family;
  private final Table table;

  /** Keys from {@code begin} on, before {@code end}: the rows of a file. */
  private record Span(LiveFileMetaData file, int begin, int end) {}

  DeadFiles(RocksDB database, ColumnFamilyHandle family, Table table) {
    this.database = database;
    this.family = family;
    this.table = table;
  }

  /**
   * Drops those in the ranges.
   *
   * @param emptied where there is no row but those of the keys
   * @param keys ascending, each once
   * @return those that are not gone with a file, in order
   */
  List<byte[]> dropAllIn(List<RowRange> emptied, List<byte[]> keys) throws RocksDBException {
    if (emptied.isEmpty() || database.getLongProperty(family, BLOB_FILES) > 0) {
      return keys;
    }
    List<Span> dead = dead(emptied, keys);
    if (dead.isEmpty()) {
      return keys;
    }
    List<byte[]> ranges = new ArrayList<>();
    for (Span span : dead) {
      ranges.add(span.file().smallestKey());
      ranges.add(span.file().largestKey());
    }
    database.deleteFilesInRanges(family, ranges, true);
    // One that is being merged just now is not dropped.
    Set<String> left = new HashSet<>();
    files().forEach(file -> left.add(file.fileName()));
    dead.removeIf(span -> left.contains(span.file().fileName()));
    return without(keys, dead);
  }

  private List<LiveFileMetaData> files() {
    List<LiveFileMetaData> files = new ArrayList<>(database.getLiveFilesMetaData());
    files.removeIf(file -> !Arrays.equals(file.columnFamilyName(), table.labelBytes()));
    files.sort((one, other) -> Arrays.compareUnsigned(one.smallestKey(), other.smallestKey()));
    return files;
  }

  /** In order. */
  private List<Span> dead(List<RowRange> emptied, List<byte[]> keys) {
    List<LiveFileMetaData> files = files();
    List<Span> dead = new ArrayList<>();
    for (LiveFileMetaData file : files) {
      int begin = firstFrom(keys, file.smallestKey(), false);
      int end = firstFrom(keys, file.largestKey(), true);
      boolean isEmptied =
          emptied.stream().anyMatch(range -> range.contains(file.smallestKey(), file.largestKey()));
      boolean isAllToGo = isEmptied && file.numEntries() == end - begin;
      boolean isPlain = file.level() > 0 && file.numDeletions() == 0 && !file.beingCompacted();
      if (isAllToGo && isPlain && isAlone(file, files)) {
        dead.add(new Span(file, begin, end));
      }
    }
    return dead;
  }

  private static boolean isAlone(LiveFileMetaData file, List<LiveFileMetaData> files) {
    for (LiveFileMetaData other : files) {
      boolean isBefore = Arrays.compareUnsigned(other.largestKey(), file.smallestKey()) < 0;
      boolean isBehind = Arrays.compareUnsigned(other.smallestKey(), file.largestKey()) > 0;
      if (!isBefore && !isBehind && !other.fileName().equals(file.fileName())) {
        return false;
      }
    }
    return true;
  }

  /** Where the first key is that is not less than this one, or that is greater. */
  private static int firstFrom(List<byte[]> keys, byte[] wanted, boolean isGreater) {
    int from = 0;
    int to = keys.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      int order = Arrays.compareUnsigned(keys.get(middle), wanted);
      if (order < 0 || (isGreater && order == 0)) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private static List<byte[]> without(List<byte[]> keys, List<Span> gone) {
    List<byte[]> others = new ArrayList<>();
    int next = 0;
    for (Span span : gone) {
      others.addAll(keys.subList(next, span.begin()));
      next = span.end();
    }
    others.addAll(keys.subList(next, keys.size()));
    return others;
  }
}
