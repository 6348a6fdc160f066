package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.disk.simulated.SimulatedDisk;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every implementation of {@link Tables} and their {@link TablesHome} promises. */
public abstract class TablesContract {
  @TempDir Path checkpoints;
  private Tables tables;

  /** Where the tables under test are at home, at first empty ones. */
  protected abstract TablesHome home();

  /** Another home of such tables; one for each number. */
  protected abstract TablesHome otherHome(int number);

  /** The same tables as the next process finds them after a crash of this one. */
  protected abstract Tables crash(Tables crashed);

  protected Tables tables() {
    if (tables == null) {
      tables = home().open();
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

  /** What of it a crash leaves is either way right; what else there is does not go with it. */
  @Test
  void whatIsRemovedApartIsGoneButForReadersFromBefore() {
    for (int i = 0; i < 300; i++) {
      put(Table.REV, filled(10 + i), bytes("row"));
    }
    tables().flush();
    put(Table.REV, bytes("newer"), bytes("row"));
    put(Table.META, bytes("m"), bytes("1"));
    List<byte[]> removed = new ArrayList<>();
    for (int i = 0; i < 300; i += 3) {
      removed.add(filled(10 + i));
    }
    removed.add(bytes("never there"));
    removed.sort(Arrays::compareUnsigned);
    try (TableSnapshot before = tables().snapshot()) {
      tables().remove(Table.REV, removed, List.of());
      assertThat(tables().get(Table.REV, filled(10))).isNull();
      assertThat(tables().get(Table.REV, filled(11))).isEqualTo(bytes("row"));
      assertThat(keys(tables(), Table.REV, new byte[0], null, false)).hasSize(201);
      assertThat(before.get(Table.REV, filled(10))).isEqualTo(bytes("row"));
    }
    tables().flushSoon();
    tables().flush();
    tables = crash(tables);
    assertThat(keys(tables(), Table.REV, new byte[0], null, false)).hasSize(201);
    assertThat(tables().get(Table.META, bytes("m"))).isEqualTo(bytes("1"));
  }

  @Test
  void unpinnedAreThoseOfWhomNoneIsOpenAnyMore() {
    assertThat(tables().unpinned().getAsBoolean()).isTrue();
    BooleanSupplier both;
    try (TableSnapshot first = tables().snapshot()) {
      assertThat(first.get(Table.META, bytes("m"))).isNull();
      try (TableSnapshot second = tables().snapshot()) {
        assertThat(second.get(Table.META, bytes("m"))).isNull();
        both = tables().unpinned();
        assertThat(both.getAsBoolean()).isFalse();
      }
      assertThat(both.getAsBoolean()).isFalse();
    }
    assertThat(both.getAsBoolean()).isTrue();
    try (TableSnapshot later = tables().snapshot()) {
      assertThat(later.get(Table.META, bytes("m"))).isNull();
      assertThat(both.getAsBoolean()).isTrue();
      assertThat(tables().unpinned().getAsBoolean()).isFalse();
    }
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
            () -> tables().checkpoint(target(Target.REAL, "closed")),
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

  /** What a checkpoint is written to: files that can be linked, and files that cannot. */
  protected enum Target {
    REAL,
    SIMULATED
  }

  private Disk target(Target kind, String name) {
    return kind == Target.REAL
        ? RealDisk.at(checkpoints.resolve(name))
        : SimulatedDisk.create(new SplittableRandom(1)).directory(name);
  }

  @ParameterizedTest
  @EnumSource
  void aCheckpointIsOneMomentOfAllTables(Target kind) {
    put(Table.LATEST, bytes("a"), bytes("1"));
    put(Table.REV, bytes("a"), filled(9000));
    tables().flush();
    put(Table.LATEST, bytes("a"), bytes("2"));
    put(Table.META, bytes("m"), bytes("2"));
    Disk files = target(kind, "moment");
    tables().checkpoint(files);
    put(Table.LATEST, bytes("a"), bytes("3"));
    put(Table.LATEST, bytes("b"), bytes("3"));
    tables().flush();

    Map<String, byte[]> before = content(files);
    try (TableSnapshot held = home().peek(files)) {
      assertThat(held.get(Table.LATEST, bytes("a"))).isEqualTo(bytes("2"));
      assertThat(held.get(Table.REV, bytes("a"))).isEqualTo(filled(9000));
      assertThat(held.get(Table.META, bytes("m"))).isEqualTo(bytes("2"));
      assertThat(scan(held, bytes("a"), null, false)).containsExactly(bytes("a"));
    }
    assertUnchanged(files, before);
    assertThat(tables().get(Table.LATEST, bytes("a"))).isEqualTo(bytes("3"));
  }

  private static Map<String, byte[]> content(Disk files) {
    Map<String, byte[]> content = new TreeMap<>();
    files.list().forEach(name -> content.put(name, files.read(name)));
    assertThat(content).isNotEmpty();
    return content;
  }

  private static void assertUnchanged(Disk files, Map<String, byte[]> before) {
    Map<String, byte[]> now = content(files);
    assertThat(now.keySet()).isEqualTo(before.keySet());
    now.forEach((name, bytes) -> assertThat(bytes).as(name).isEqualTo(before.get(name)));
    assertThat(files.directories()).isEmpty();
  }

  @Test
  void whatACheckpointHoldsIsDurableHere() {
    put(Table.META, bytes("m"), bytes("1"));
    assertThat(tables().flushed(Table.META, bytes("m"))).isNull();
    tables().checkpoint(target(Target.REAL, "durable"));
    assertThat(tables().flushed(Table.META, bytes("m"))).isEqualTo(bytes("1"));
    tables = crash(tables());
    assertThat(tables().get(Table.META, bytes("m"))).isEqualTo(bytes("1"));
  }

  /** FAULTS F063: whole batches, in order, of all tables, however many come meanwhile. */
  @Test
  void aCheckpointBesideTheWriterHoldsWholeBatches() throws Exception {
    long written = 0;
    Tables open = tables();
    ExecutorService checkpointer = Executors.newSingleThreadExecutor();
    try {
      for (int round = 0; round < 3; round++) {
        Disk files = target(Target.REAL, "beside" + round);
        Future<?> done = checkpointer.submit(() -> open.checkpoint(files));
        long least = written;
        while (!done.isDone()) {
          TableBatch batch = open.batch();
          byte[] key = bytes(String.format("%08d", written + 1));
          batch.put(Table.LATEST, key, filled(30));
          batch.put(Table.REV, key, filled(200));
          batch.put(Table.META, bytes("n"), key);
          open.write(batch);
          written++;
        }
        done.get(10, TimeUnit.SECONDS);
        try (TableSnapshot held = home().peek(files)) {
          assertThat(scan(held, bytes("0"), null, false)).hasSizeGreaterThanOrEqualTo((int) least);
          assertHoldsWholeBatches(held);
        }
      }
    } finally {
      checkpointer.shutdownNow();
    }
  }

  private static void assertHoldsWholeBatches(TableSnapshot held) {
    List<byte[]> keys = scan(held, bytes("0"), null, false);
    if (!keys.isEmpty()) {
      byte[] last = keys.get(keys.size() - 1);
      assertThat(last).isEqualTo(bytes(String.format("%08d", keys.size())));
      assertThat(held.get(Table.META, bytes("n"))).isEqualTo(last);
    }
    keys.forEach(key -> assertThat(held.get(Table.REV, key)).isNotNull());
  }

  /** FAULTS F070: then there is no checkpoint, and nothing else is the worse for it. */
  @Test
  void aCheckpointThatFailsLeavesTheTablesAsTheyWere() {
    put(Table.LATEST, bytes("a"), filled(9000));
    int call = 1;
    for (boolean complete = false; !complete; call++) {
      FailingDisk failing = new FailingDisk(target(Target.SIMULATED, "failing"), call);
      try {
        tables().checkpoint(failing);
        complete = true;
      } catch (UncheckedIOException planned) {
        assertThat(failing.failed()).isTrue();
        put(Table.LATEST, bytes("after"), bytes("" + call));
      }
    }
    assertThat(call).as("calls that failed").isGreaterThan(3);
    assertThat(tables().get(Table.LATEST, bytes("a"))).isEqualTo(filled(9000));
    Disk files = target(Target.REAL, "whole");
    tables().checkpoint(files);
    try (TableSnapshot held = home().peek(files)) {
      assertThat(scan(held, bytes("a"), null, false)).containsExactly(bytes("a"), bytes("after"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingOldSurvivesAReplacement(Target kind) {
    Disk files = checkpointOfOthers(kind);
    Map<String, byte[]> before = content(files);
    put(Table.LATEST, bytes("a"), bytes("old"));
    put(Table.LATEST, bytes("old"), bytes("old"));
    put(Table.SESSION, bytes("old"), bytes("old"));
    tables().flush();
    put(Table.REV, bytes("a"), bytes("not flushed"));
    Tables old = tables();

    home().replace(files);

    assertThatThrownBy(() -> old.get(Table.LATEST, bytes("a")))
        .isInstanceOf(StateReplacedException.class);
    tables = home().open();
    assertThat(Dump.of(tables)).containsExactlyElementsOf(ofOthers());
    // It is a state of its own from now on; the checkpoint stays what it was.
    for (int i = 0; i < 10; i++) {
      put(Table.LATEST, bytes("new" + i), filled(5000));
      put(Table.REV, bytes("new" + i), filled(5000));
      tables().flush();
    }
    tables = crash(tables());
    assertThat(tables().get(Table.LATEST, bytes("new9"))).isEqualTo(filled(5000));
    assertThat(tables().get(Table.REV, bytes("a"))).isEqualTo(filled(9000));
    assertUnchanged(files, before);
    home().replace(files);
    tables = home().open();
    assertThat(Dump.of(tables)).containsExactlyElementsOf(ofOthers());
  }

  private int others;
  private List<String> ofOthers;

  /** A checkpoint of other tables, with rows of every kind of file. */
  private Disk checkpointOfOthers(Target kind) {
    Tables mine = tables();
    tables = otherHome(others++).open();
    put(Table.LATEST, bytes("a"), bytes("1"));
    put(Table.REV, bytes("a"), filled(9000));
    tables().flush();
    put(Table.LATEST, bytes("b"), bytes("2"));
    put(Table.META, bytes("m"), bytes("2"));
    Disk files = target(kind, "others" + others);
    tables().checkpoint(files);
    ofOthers = Dump.of(tables());
    tables().close();
    tables = mine;
    return files;
  }

  private List<String> ofOthers() {
    return ofOthers;
  }

  /**
   * FAULTS F061: a replacement that ends anywhere leaves the old tables, none, or the new ones;
   * done again, the new ones.
   */
  @Test
  void aReplacementThatWasCutShortIsDoneAgain() {
    Disk files = checkpointOfOthers(Target.SIMULATED);
    int call = 1;
    for (boolean complete = false; !complete; call++) {
      TablesHome home = otherHome(100 + call);
      Tables old = home.open();
      TableBatch batch = old.batch();
      batch.put(Table.LATEST, bytes("a"), bytes("old"));
      batch.put(Table.LATEST, bytes("old"), filled(5000));
      old.write(batch);
      old.flush();
      List<String> before = Dump.of(old);
      FailingDisk failing = new FailingDisk(files, call);
      try {
        home.replace(failing);
        complete = true;
      } catch (UncheckedIOException planned) {
        assertThat(failing.failed()).isTrue();
      }
      old.abandon();
      assertThat(dump(home)).as("call %s", call).isIn(before, List.of(), ofOthers());
      home.replace(files);
      Tables found = home.open();
      assertThat(Dump.of(found)).as("call %s", call).isEqualTo(ofOthers());
      found.close();
    }
    assertThat(call).as("calls that failed").isGreaterThan(2);
  }

  /** Nothing, if what is there cannot be opened: it is no mixture either. */
  private static List<String> dump(TablesHome home) {
    try (Tables left = home.open()) {
      return Dump.of(left);
    } catch (UncheckedIOException none) {
      return List.of();
    }
  }

  @Test
  void whatIsNoCheckpointReplacesNothing() {
    put(Table.LATEST, bytes("a"), bytes("1"));
    for (Target kind : Target.values()) {
      Disk empty = target(kind, "empty");
      assertThatThrownBy(() -> home().peek(empty)).isInstanceOf(UncheckedIOException.class);
      assertThatThrownBy(() -> home().replace(empty)).isInstanceOf(UncheckedIOException.class);
      assertThat(empty.list()).isEmpty();
    }
    assertThat(tables().get(Table.LATEST, bytes("a"))).isEqualTo(bytes("1"));
  }

  /** FAULTS F099: a read that was under way ends, and knows why. */
  @Test
  void readersOfReplacedTablesAreToldSo() throws Exception {
    Disk files = checkpointOfOthers(Target.REAL);
    put(Table.LATEST, bytes("a"), bytes("1"));
    TableSnapshot pinned = tables().snapshot();
    TableCursor cursor = tables().scan(Table.LATEST, bytes("a"), null, false);
    CountDownLatch reading = new CountDownLatch(1);
    ExecutorService reader = Executors.newSingleThreadExecutor();
    try {
      Future<RuntimeException> ended =
          reader.submit(() -> readUntilReplaced(pinned, cursor, reading));
      assertThat(reading.await(10, TimeUnit.SECONDS)).isTrue();
      Tables old = tables();
      home().replace(files);
      tables = home().open();
      assertThat(ended.get(10, TimeUnit.SECONDS)).hasMessageContaining("replaced");
      for (Runnable late :
          List.<Runnable>of(
              () -> old.scan(Table.META, bytes("a"), null, false),
              () -> old.snapshot(),
              () -> old.checkpoint(target(Target.REAL, "late")),
              () -> old.flush())) {
        assertThatThrownBy(late::run).isInstanceOf(StateReplacedException.class);
      }
      assertThat(tables().get(Table.LATEST, bytes("a"))).isEqualTo(bytes("1"));
    } finally {
      reader.shutdownNow();
    }
  }

  private static RuntimeException readUntilReplaced(
      TableSnapshot pinned, TableCursor cursor, CountDownLatch reading) {
    try (pinned;
        cursor) {
      while (true) {
        assertThat(pinned.get(Table.LATEST, bytes("a"))).isEqualTo(bytes("1"));
        cursor.next();
        reading.countDown();
      }
    } catch (StateReplacedException replaced) {
      return replaced;
    }
  }

  /** The keys of a scan of {@link Table#LATEST}. */
  protected static List<byte[]> scan(TableReader reader, byte[] from, byte[] to, boolean reverse) {
    return keys(reader, Table.LATEST, from, to, reverse);
  }

  private static List<byte[]> keys(
      TableReader reader, Table table, byte[] from, byte[] to, boolean reverse) {
    List<byte[]> keys = new ArrayList<>();
    try (TableCursor cursor = reader.scan(table, from, to, reverse)) {
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
