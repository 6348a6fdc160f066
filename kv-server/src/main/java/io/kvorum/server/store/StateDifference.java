package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.disk.Disk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where two states differ, row by row, as far as {@link StateHash} looks: what a person wants to
 * know whose nodes held different ones. One walk through both; the rows themselves are not kept.
 *
 * @param rows the first ones, by table and key
 * @param count of all rows that differ
 */
public record StateDifference(List<Row> rows, long count) {
  /** In which way. */
  public enum Kind {
    /** Only the first state has the row. */
    ONLY_FIRST,
    /** Only the second one has it. */
    ONLY_SECOND,
    /** Both have it, with different contents. */
    DIFFERENT
  }

  /**
   * A row that differs.
   *
   * @param key in {@link Table#LATEST} the user's key; see docs/FORMATS.md for the others
   */
  public record Row(Table table, Bytes key, Kind kind) {}

  public StateDifference {
    rows = List.copyOf(rows);
  }

  /**
   * Compares what two checkpoints hold: of a snapshot, or of what a node in quarantine has kept.
   *
   * @param home that can read them
   * @param rowsMax how many rows are named
   * @throws java.io.UncheckedIOException if one of them is no checkpoint
   */
  public static StateDifference between(TablesHome home, Disk one, Disk other, int rowsMax) {
    try (TableSnapshot first = home.peek(one);
        TableSnapshot second = home.peek(other)) {
      return between(first, second, rowsMax);
    }
  }

  /** Compares two sets of tables that do not change meanwhile. */
  public static StateDifference between(TableReader first, TableReader second, int rowsMax) {
    Walk walk = new Walk(rowsMax, key -> false);
    for (Table table : new Table[] {Table.LATEST, Table.LEASE, Table.SESSION}) {
      try (TableCursor one = first.scan(table, new byte[0], null, false);
          TableCursor other = second.scan(table, new byte[0], null, false)) {
        walk.through(table, one, other);
      }
    }
    return new StateDifference(walk.rows, walk.count);
  }

  /**
   * Compares the keys of a state that stopped with those of one that went on: what the second one
   * has changed since the first one stopped is no difference. A key that was deleted there, and
   * compacted away since, counts as one.
   */
  public static StateDifference sinceStopped(TableReader stopped, TableReader later, int rowsMax) {
    long revision = StoreState.in(stopped).revision();
    Walk walk = new Walk(rowsMax, key -> isChangedBehind(revision, later, key));
    try (TableCursor one = stopped.scan(Table.LATEST, new byte[0], null, false);
        TableCursor other = later.scan(Table.LATEST, new byte[0], null, false)) {
      walk.through(Table.LATEST, one, other);
    }
    return new StateDifference(walk.rows, walk.count);
  }

  private static boolean isChangedBehind(long revision, TableReader tables, byte[] key) {
    byte[] row = tables.get(Table.LATEST, key);
    return row != null && LatestRow.decode(row).modRevision() > revision;
  }

  private static final class Walk {
    private final List<Row> rows = new ArrayList<>();
    private final int rowsMax;
    private final Predicate<byte[]> isIgnored;
    private long count;

    Walk(int rowsMax, Predicate<byte[]> isIgnored) {
      this.rowsMax = rowsMax;
      this.isIgnored = isIgnored;
    }

    void through(Table table, TableCursor one, TableCursor other) {
      byte[] first = next(table, one);
      byte[] second = next(table, other);
      while (first != null || second != null) {
        int order = order(first, second);
        if (order == 0 && !Arrays.equals(one.value(), other.value())) {
          differs(table, first, Kind.DIFFERENT);
        } else if (order < 0) {
          differs(table, first, Kind.ONLY_FIRST);
        } else if (order > 0) {
          differs(table, second, Kind.ONLY_SECOND);
        }
        first = order <= 0 ? next(table, one) : first;
        second = order >= 0 ? next(table, other) : second;
      }
    }

    private static int order(byte @Nullable [] first, byte @Nullable [] second) {
      if (first == null || second == null) {
        return first == null ? 1 : -1;
      }
      return Arrays.compareUnsigned(first, second);
    }

    /** The next row that counts. */
    private static byte @Nullable [] next(Table table, TableCursor rows) {
      while (rows.next()) {
        if (table != Table.LATEST || !LatestRow.isTombstone(rows.value())) {
          return rows.key();
        }
      }
      return null;
    }

    private void differs(Table table, byte @Nullable [] key, Kind kind) {
      if (key == null || isIgnored.test(key)) {
        return;
      }
      count++;
      if (rows.size() < rowsMax) {
        rows.add(new Row(table, Bytes.copyOf(key), kind));
      }
    }
  }
}
