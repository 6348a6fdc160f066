package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link Tables} promises. */
public abstract class TablesContract {
  private Tables tables;

  /** Empty tables. */
  protected abstract Tables create();

  /** The same tables as the next process finds them after a crash of this one. */
  protected abstract Tables crash(Tables crashed);

  protected Tables tables() {
    if (tables == null) {
      tables = create();
    }
    return tables;
  }

  @AfterEach
  void abandon() {
    if (tables != null) {
      tables.abandon();
    }
  }

  @Test
  void aBatchAppliesInOrderToAllTables() {
    TableBatch batch = tables().batch();
    assertThat(batch.sizeBytes()).isZero();
    batch.put(Table.LATEST, bytes("a"), bytes("1"));
    assertThat(batch.sizeBytes()).isPositive();
    batch.put(Table.LATEST, bytes("a"), bytes("2"));
    batch.put(Table.REV, bytes("a"), bytes("other"));
    batch.put(Table.META, bytes("gone"), bytes("x"));
    batch.delete(Table.META, bytes("gone"));
    batch.delete(Table.META, bytes("never there"));
    tables().write(batch);

    assertThat(tables().get(Table.LATEST, bytes("a"))).isEqualTo(bytes("2"));
    assertThat(tables().get(Table.REV, bytes("a"))).isEqualTo(bytes("other"));
    assertThat(tables().get(Table.META, bytes("gone"))).isNull();
    assertThat(tables().get(Table.LATEST, bytes("b"))).isNull();
  }

  /** Lengths around each step of a variable-length integer, and past the size of blobs. */
  @Test
  void valuesOfEveryLengthComeBack() {
    int[] lengths = {0, 1, 127, 128, 4095, 4096, 16_383, 16_384, 2_097_151, 2_097_152, 4_194_304};
    TableBatch batch = tables().batch();
    for (int length : lengths) {
      batch.put(Table.REV, bytes("v" + length), filled(length));
      batch.put(Table.LATEST, filled(Math.min(length, 20_000) + 1), bytes("k" + length));
    }
    tables().write(batch);
    for (int round = 0; round < 2; round++) {
      for (int length : lengths) {
        assertThat(tables().get(Table.REV, bytes("v" + length))).isEqualTo(filled(length));
      }
      assertThat(tables().get(Table.LATEST, filled(16_385))).isEqualTo(bytes("k16384"));
      tables().flush();
    }
  }

  @Test
  void scansAreHalfOpenAndUnsigned() {
    byte[][] keys = {{0}, {0, 0}, {0x7f}, {(byte) 0x80}, {(byte) 0xff}, {(byte) 0xff, (byte) 0xff}};
    for (byte[] key : keys) {
      put(Table.LATEST, key, key);
      put(Table.REV, new byte[] {1}, new byte[] {1});
    }
    assertThat(scan(tables(), new byte[] {0}, null, false)).containsExactly(keys);
    assertThat(scan(tables(), new byte[0], null, false)).containsExactly(keys);
    assertThat(scan(tables(), keys[1], keys[4], false)).containsExactly(keys[1], keys[2], keys[3]);
    assertThat(scan(tables(), keys[1], keys[4], true)).containsExactly(keys[3], keys[2], keys[1]);
    assertThat(scan(tables(), keys[4], null, true)).containsExactly(keys[5], keys[4]);
    assertThat(scan(tables(), new byte[] {1}, new byte[] {2}, false)).isEmpty();
    assertThat(scan(tables(), new byte[] {1}, new byte[] {2}, true)).isEmpty();
    assertThat(scan(tables(), keys[3], keys[3], false)).isEmpty();
    assertThat(scan(tables(), keys[4], keys[1], false)).isEmpty();
    assertThat(scan(tables(), keys[4], keys[1], true)).isEmpty();
  }

  @Test
  void aCursorSeesTheMomentItWasOpened() {
    put(Table.LATEST, bytes("a"), bytes("1"));
    put(Table.LATEST, bytes("c"), bytes("1"));
    try (TableCursor cursor = tables().scan(Table.LATEST, bytes("a"), null, false)) {
      put(Table.LATEST, bytes("b"), bytes("2"));
      put(Table.LATEST, bytes("c"), bytes("2"));
      assertThatThrownBy(cursor::key).isInstanceOf(NoSuchElementException.class);
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.key()).isEqualTo(bytes("c"));
      assertThat(cursor.value()).isEqualTo(bytes("1"));
      assertThat(cursor.next()).isFalse();
      assertThat(cursor.next()).isFalse();
      assertThatThrownBy(cursor::value).isInstanceOf(NoSuchElementException.class);
    }
  }

  @Test
  void aSnapshotIsOneMomentOfAllTables() {
    put(Table.LATEST, bytes("a"), bytes("1"));
    put(Table.REV, bytes("a"), bytes("1"));
    try (TableSnapshot snapshot = tables().snapshot()) {
      put(Table.LATEST, bytes("a"), bytes("2"));
      put(Table.LATEST, bytes("b"), bytes("2"));
      TableBatch batch = tables().batch();
      batch.delete(Table.REV, bytes("a"));
      tables().write(batch);
      tables().flush();

      assertThat(snapshot.get(Table.LATEST, bytes("a"))).isEqualTo(bytes("1"));
      assertThat(snapshot.get(Table.REV, bytes("a"))).isEqualTo(bytes("1"));
      assertThat(scan(snapshot, bytes("a"), null, false)).containsExactly(bytes("a"));
    }
    assertThat(tables().get(Table.LATEST, bytes("a"))).isEqualTo(bytes("2"));
    assertThat(tables().get(Table.REV, bytes("a"))).isNull();
  }

  @Test
  void aCursorOutlivesItsSnapshot() {
    put(Table.LATEST, bytes("a"), bytes("1"));
    TableSnapshot snapshot = tables().snapshot();
    try (TableCursor cursor = snapshot.scan(Table.LATEST, bytes("a"), null, false)) {
      snapshot.close();
      put(Table.LATEST, bytes("a"), bytes("2"));
      tables().flush();
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.value()).isEqualTo(bytes("1"));
    }
  }

  @Test
  void aCrashKeepsWhatWasFlushedAndNothingElse() {
    put(Table.META, bytes("m"), bytes("1"));
    put(Table.REV, bytes("r"), bytes("1"));
    assertThat(tables().flushed(Table.META, bytes("m"))).isNull();
    tables().flush();
    assertThat(tables().flushed(Table.META, bytes("m"))).isEqualTo(bytes("1"));
    put(Table.META, bytes("m"), bytes("2"));
    put(Table.LATEST, bytes("l"), bytes("2"));
    TableBatch batch = tables().batch();
    batch.delete(Table.REV, bytes("r"));
    tables().write(batch);
    assertThat(tables().get(Table.META, bytes("m"))).isEqualTo(bytes("2"));
    assertThat(tables().flushed(Table.META, bytes("m"))).isEqualTo(bytes("1"));

    Tables crashed = tables();
    tables = crash(crashed);

    assertThat(tables().get(Table.META, bytes("m"))).isEqualTo(bytes("1"));
    assertThat(tables().get(Table.REV, bytes("r"))).isEqualTo(bytes("1"));
    assertThat(tables().get(Table.LATEST, bytes("l"))).isNull();
    assertThatThrownBy(() -> crashed.get(Table.META, bytes("m")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aCloseDoesNotFlush() {
    put(Table.META, bytes("m"), bytes("1"));
    tables().close();
    tables = crash(tables);
    assertThat(tables().get(Table.META, bytes("m"))).isNull();
  }

  @Test
  void aBatchOfOtherTablesIsRefused() {
    TableBatch foreign =
        new TableBatch() {
          @Override
          public void put(Table table, byte[] key, byte[] value) {}

          @Override
          public void delete(Table table, byte[] key) {}

          @Override
          public int sizeBytes() {
            return 0;
          }
        };
    assertThatThrownBy(() -> tables().write(foreign)).isInstanceOf(IllegalArgumentException.class);
  }

  /** FAULTS F157. */
  @Test
  void everyUseAfterCloseIsAnException() {
    TableBatch batch = tables().batch();
    batch.put(Table.META, bytes("a"), bytes("1"));
    tables().close();
    List<Runnable> uses =
        List.of(
            () -> tables().get(Table.META, bytes("a")),
            () -> tables().flushed(Table.META, bytes("a")),
            () -> tables().scan(Table.META, bytes("a"), null, false),
            () -> tables().snapshot(),
            () -> tables().write(batch),
            () -> tables().flush());
    for (Runnable use : uses) {
      assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class);
    }
    tables().close();
    tables().abandon();
  }

  /** FAULTS F157. */
  @Test
  void everyUseOfAClosedReaderIsAnException() {
    put(Table.LATEST, bytes("a"), bytes("1"));
    TableSnapshot snapshot = tables().snapshot();
    TableCursor cursor = snapshot.scan(Table.LATEST, bytes("a"), null, false);
    assertThat(cursor.next()).isTrue();
    cursor.close();
    cursor.close();
    snapshot.close();
    snapshot.close();
    List<Runnable> uses =
        List.of(
            cursor::next,
            cursor::key,
            cursor::value,
            () -> snapshot.get(Table.LATEST, bytes("a")),
            () -> snapshot.scan(Table.LATEST, bytes("a"), null, false));
    for (Runnable use : uses) {
      assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class);
    }
    tables().close();
  }

  /** FAULTS F157. */
  @Test
  void aCloseWaitsForReadersAndStopsLongScans() throws Exception {
    put(Table.LATEST, bytes("a"), bytes("1"));
    TableSnapshot snapshot = tables().snapshot();
    TableCursor cursor = tables().scan(Table.LATEST, bytes("a"), null, false);
    ExecutorService closer = Executors.newSingleThreadExecutor();
    try {
      CountDownLatch closing = new CountDownLatch(1);
      Future<?> close =
          closer.submit(
              () -> {
                closing.countDown();
                tables().close();
              });
      assertThat(closing.await(10, TimeUnit.SECONDS)).isTrue();
      // The scan runs into the close by itself; there is one row, so only a refusal ends this.
      assertThatThrownBy(
              () -> {
                while (true) {
                  cursor.next();
                }
              })
          .isInstanceOf(IllegalStateException.class);
      assertThat(close.isDone()).isFalse();
      cursor.close();
      assertThat(close.isDone()).isFalse();
      snapshot.close();
      close.get(10, TimeUnit.SECONDS);
    } finally {
      closer.shutdownNow();
    }
  }

  /** FAULTS F157: readers of every kind against a close, again and again. */
  @Test
  void readersAndCloseMeetWithoutHarm() throws Exception {
    int threads = 3;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (int round = 0; round < 25; round++) {
        for (int i = 0; i < 50; i++) {
          put(Table.LATEST, bytes("k" + i), filled(100));
        }
        tables().flush();
        Tables open = tables();
        AtomicLong reads = new AtomicLong();
        CyclicBarrier start = new CyclicBarrier(threads + 1);
        List<Future<?>> readers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          readers.add(pool.submit(() -> readUntilClosed(open, start, reads)));
        }
        start.await(10, TimeUnit.SECONDS);
        while (reads.get() < 20) {
          Thread.onSpinWait();
        }
        open.close();
        for (Future<?> reader : readers) {
          reader.get(10, TimeUnit.SECONDS);
        }
        tables = crash(open);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static Void readUntilClosed(Tables open, CyclicBarrier start, AtomicLong reads)
      throws Exception {
    start.await(10, TimeUnit.SECONDS);
    try {
      while (true) {
        assertThat(open.get(Table.LATEST, bytes("k7"))).hasSize(100);
        try (TableSnapshot snapshot = open.snapshot()) {
          assertThat(scan(snapshot, bytes("k"), null, true)).hasSize(50);
          assertThat(scan(open, bytes("k"), null, false)).hasSize(50);
        }
        reads.incrementAndGet();
      }
    } catch (IllegalStateException closed) {
      assertThat(closed).hasMessageContaining("closed");
      return null;
    }
  }

  /** The keys of a scan of {@link Table#LATEST}. */
  protected static List<byte[]> scan(TableReader reader, byte[] from, byte[] to, boolean reverse) {
    List<byte[]> keys = new ArrayList<>();
    try (TableCursor cursor = reader.scan(Table.LATEST, from, to, reverse)) {
      while (cursor.next()) {
        keys.add(cursor.key());
      }
    }
    return keys;
  }

  protected void put(Table table, byte[] key, byte[] value) {
    TableBatch batch = tables().batch();
    batch.put(table, key, value);
    tables().write(batch);
  }

  protected static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  /** Bytes of every kind, different for each length. */
  protected static byte[] filled(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + length);
    }
    return bytes;
  }
}
