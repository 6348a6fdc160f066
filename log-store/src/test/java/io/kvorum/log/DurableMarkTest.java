package io.kvorum.log;

import static io.kvorum.log.TestLog.CONFIG;
import static io.kvorum.log.TestLog.assertSame;
import static io.kvorum.log.TestLog.entries;
import static io.kvorum.log.TestLog.readAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.Call;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.EntryId;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What was durable and is lost from the end of a log is noticed (docs/adr/0020). */
class DurableMarkTest {
  private static final String FIRST = Segment.fileName(1);
  private static final int BYTES = 400;

  /** A record with its padding; marks stand between the batches. */
  private static final int RECORD_BYTES = RecordCodec.encodedBytes(entries(1, 1, 1, BYTES).get(0));

  /** Runs nothing before it is told to. */
  private static final class Later implements Executor {
    final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    void runAll() {
      Runnable task;
      while ((task = tasks.poll()) != null) {
        task.run();
      }
    }
  }

  private final List<RuntimeException> failures = new ArrayList<>();

  private static SimulatedDisk disk() {
    return SimulatedDisk.create(new SplittableRandom(1));
  }

  private static LogStore open(SimulatedDisk disk, Executor background) {
    return LogStore.open(disk, CONFIG, background, new SplittableRandom(42), 0);
  }

  /** Batches of two, each synced; how far that is durable is noted after so many of them. */
  private LogStore write(SimulatedDisk disk, int batches, int notedAfter) {
    LogStore log = TestLog.open(disk);
    for (int i = 0; i < batches; i++) {
      log.append(entries(1 + 2L * i, 2, 1, BYTES));
      log.sync();
      if (i + 1 == notedAfter) {
        log.noteDurable(failures::add);
      }
    }
    return log;
  }

  private SimulatedDisk crashed(int batches, int notedAfter) {
    SimulatedDisk disk = disk();
    write(disk, batches, notedAfter);
    disk.crash();
    disk.restart();
    return disk;
  }

  private static EntryId marked(SimulatedDisk disk) {
    return DurableMark.find(disk);
  }

  /** The bytes of the format, pinned: a change here is a change of format and needs a version. */
  @Test
  void layoutIsTheDocumentedOne() {
    SimulatedDisk disk = disk();
    DurableMark.open(disk, new EntryId(0x1122, 0x33)).close();
    byte[] content = disk.content(DurableMark.FILE);
    assertThat(content).hasSize(2 * DurableMark.SLOT_BYTES);
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(content, 0, 16))
        .isEqualTo("564f5244" + "01000000" + "0200000000000000");
    assertThat(hex.formatHex(content, 16, 32)).isEqualTo("2211000000000000" + "3300000000000000");
    assertThat(hex.formatHex(content, 32, 36)).isEqualTo("6eeb57d2");
    assertThat(Arrays.copyOfRange(content, 36, DurableMark.SLOT_BYTES)).containsOnly(0);
    assertThat(hex.formatHex(content, 4096, 4112))
        .isEqualTo("564f5244" + "01000000" + "0300000000000000");
  }

  /** Zeros from any place on: below what was noted it is damage, above it is torn as ever. */
  @Test
  void anEndThatWasNotedAndIsLostIsDamage() {
    SimulatedDisk.Image image = crashed(8, 5).image();
    int refused = 0;
    for (int from = SegmentHeader.PAGE_BYTES; from < 3 * SegmentHeader.PAGE_BYTES; from += 64) {
      SimulatedDisk disk = disk();
      disk.restore(image);
      disk.zero(FIRST, from, CONFIG.segmentBytes());
      try (LogInspection found = LogInspection.of(disk, 0)) {
        boolean isShort = found.last().index() < 10;
        assertThat(found.damages()).as("zeroed from %d", from).hasSize(isShort ? 1 : 0);
        assertThat(found.highest().index()).isEqualTo(Math.max(10, found.last().index()));
        if (isShort) {
          refused++;
          assertThatThrownBy(() -> TestLog.open(disk))
              .isInstanceOf(CorruptLogException.class)
              .hasMessageContaining(FIRST + ", offset ")
              .hasMessageContaining("entry " + (found.last().index() + 1))
              .hasMessageContaining("entries up to 10 are known to have been durable");
          found.cut();
        }
        TestLog.open(disk).close();
        assertThat(marked(disk)).isEqualTo(found.last());
      }
    }
    assertThat(refused).isBetween(10 * RECORD_BYTES / 64 - 1, 10 * RECORD_BYTES / 64 + 4);
  }

  /** F049: also where the whole segment is gone, with all that would tell that there was one. */
  @Test
  void aLastSegmentThatIsGoneIsDamage() {
    SimulatedDisk disk = crashed(30, 30);
    String last =
        disk.names().stream().filter(Segment::isSegment).reduce((a, b) -> b).orElseThrow();
    disk.names().stream().filter(Segment::isIndex).forEach(disk::lose);
    disk.lose(last);
    assertThatThrownBy(() -> TestLog.open(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("entries up to 60 are known to have been durable");
    disk.names().stream().filter(Segment::isSegment).forEach(disk::lose);
    assertThatThrownBy(() -> TestLog.open(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("there is no log, though entries up to 60 were durable");
  }

  /** A clean end needs no note before it. */
  @Test
  void aCloseNotesAllThatThereIs() {
    SimulatedDisk disk = disk();
    write(disk, 3, 0).close();
    assertThat(marked(disk)).isEqualTo(new EntryId(6, 1));
    disk.zero(FIRST, SegmentHeader.PAGE_BYTES + RECORD_BYTES, CONFIG.segmentBytes());
    assertThatThrownBy(() -> TestLog.open(disk)).hasMessageContaining("entry 2");
  }

  /** What the log may lose, and what begins anew, is not noted any more, and power may go. */
  @Test
  void aTruncationAndAResetLowerIt() {
    SimulatedDisk disk = disk();
    LogStore log = write(disk, 4, 4);
    log.truncateSuffix(5);
    assertThat(marked(disk)).isEqualTo(new EntryId(5, 1));
    log.append(entries(6, 9, 2, BYTES));
    log.sync();
    log.noteDurable(failures::add);
    assertThat(marked(disk)).isEqualTo(new EntryId(14, 2));
    log.reset(new EntryId(9, 3));
    assertThat(marked(disk)).isEqualTo(new EntryId(9, 3));
    disk.crash();
    disk.restart();
    try (LogStore found = TestLog.open(disk)) {
      assertThat(found.last()).isEqualTo(new EntryId(9, 3));
    }
  }

  /** Whenever the background comes to it, it does not note what was truncated meanwhile. */
  @Test
  void aRiseThatIsLateSaysWhatHoldsThen() {
    SimulatedDisk disk = disk();
    Later later = new Later();
    LogStore log = open(disk, later);
    log.append(entries(1, 8, 1, BYTES));
    log.sync();
    log.noteDurable(failures::add);
    log.truncateSuffix(3);
    log.append(entries(4, 1, 1, BYTES));
    later.runAll();
    assertThat(marked(disk)).isEqualTo(new EntryId(3, 1));
    log.sync();
    log.noteDurable(failures::add);
    log.close();
    later.runAll();
    assertThat(marked(disk)).isEqualTo(new EntryId(4, 1));
  }

  /** Nothing is synced, written or waited for on the way of an append but the batch itself. */
  @Test
  void anAppendPaysNothingForIt() {
    SimulatedDisk disk = disk();
    Later later = new Later();
    LogStore log = open(disk, later);
    later.runAll();
    long calls = disk.calls();
    for (int i = 0; i < 10; i++) {
      log.append(entries(1 + i, 1, 1, 100));
      log.sync();
      log.noteDurable(failures::add);
    }
    assertThat(disk.calls() - calls).as("a write and a sync for each batch").isEqualTo(20);
    assertThat(later.tasks).hasSize(1);
    later.runAll();
    assertThat(disk.calls() - calls).isEqualTo(22);
    assertThat(marked(disk)).isEqualTo(new EntryId(10, 1));
    log.noteDurable(failures::add);
    assertThat(later.tasks).as("nothing is new").isEmpty();
    assertThat(disk.count(Call.SYNC_DIRECTORY)).isLessThan(5);
  }

  /** F042. */
  @Test
  void aNoteThatFailsKillsTheStore() {
    for (int call = 1; call <= 2; call++) {
      SimulatedDisk disk = disk();
      LogStore log = write(disk, 2, 0);
      disk.failAt(call);
      log.noteDurable(failures::add);
      assertThat(log.isDead()).isTrue();
      assertThat(failures).singleElement().isInstanceOf(UncheckedIOException.class);
      failures.clear();
      assertThatThrownBy(log::sync).isInstanceOf(UncheckedIOException.class);
      disk.restart();
      TestLog.open(disk).close();
      assertThat(marked(disk)).isEqualTo(new EntryId(4, 1));
    }
  }

  /** One slot is as good as two, or says less; it never says what is not so. */
  @Test
  void anySingleDamageOfTheFileIsHarmless() {
    SimulatedDisk.Image image = crashed(4, 3).image();
    for (int bit = 0; bit < 2 * DurableMark.SLOT_BYTES * 8; bit++) {
      boolean isInteresting = bit % (DurableMark.SLOT_BYTES * 8) < 300 || bit % 997 == 0;
      if (isInteresting) {
        SimulatedDisk disk = disk();
        disk.restore(image);
        disk.flipBit(DurableMark.FILE, bit);
        assertThat(marked(disk).index()).as("bit %d", bit).isIn(0L, 6L);
      }
    }
    for (int slot = 0; slot < 2; slot++) {
      SimulatedDisk disk = disk();
      disk.restore(image);
      int from = slot * DurableMark.SLOT_BYTES;
      disk.zero(DurableMark.FILE, from, from + DurableMark.SLOT_BYTES);
      TestLog.open(disk).close();
      disk.zero(DurableMark.FILE, DurableMark.SLOT_BYTES - from, 2 * DurableMark.SLOT_BYTES - from);
      assertThat(marked(disk)).as("mended by the start").isEqualTo(new EntryId(8, 1));
    }
  }

  /** No crash spoils both slots, so a disk has; and then it may have taken the end of the log. */
  @Test
  void aDamagedFileIsDamageOfTheLog() {
    for (int size : new int[] {2 * DurableMark.SLOT_BYTES, 100, 0}) {
      SimulatedDisk disk = crashed(4, 4);
      disk.plant(DurableMark.FILE, new byte[size]);
      assertThatThrownBy(() -> TestLog.open(disk))
          .isInstanceOf(CorruptLogException.class)
          .hasMessageContaining("/durable: it is damaged")
          .hasMessageContaining("may be deleted");
      SimulatedDisk.Image image = disk.image();
      try (LogInspection found = LogInspection.of(disk, 0)) {
        assertThat(found.damages()).hasSize(1);
        assertThat(found.last()).isEqualTo(new EntryId(8, 1));
        found.cut();
      }
      try (LogStore log = TestLog.open(disk)) {
        assertSame(readAll(log), entries(1, 8, 1, BYTES));
      }
      disk.restore(image);
      disk.lose(DurableMark.FILE);
      try (LogStore log = TestLog.open(disk)) {
        assertSame(readAll(log), entries(1, 8, 1, BYTES));
      }
      assertThat(marked(disk)).isEqualTo(new EntryId(8, 1));
    }
  }

  /** Of an older version of Kvorum: it cuts the log and leaves the file as it was. */
  @Test
  void whatAnOlderVersionHasReplacedIsNotMissed() {
    SimulatedDisk disk = disk();
    LogStore log = write(disk, 6, 6);
    byte[] before = disk.content(DurableMark.FILE);
    log.append(entries(5, 2, 3, BYTES));
    log.close();
    disk.plant(DurableMark.FILE, before);
    try (LogInspection found = LogInspection.of(disk, 0)) {
      assertThat(found.damages()).isEmpty();
    }
    try (LogStore found = TestLog.open(disk)) {
      assertThat(found.last()).isEqualTo(new EntryId(6, 3));
    }
    assertThat(marked(disk)).isEqualTo(new EntryId(6, 3));
  }

  @Test
  void aLaterVersionIsRefusedByItsNumber() {
    SimulatedDisk disk = crashed(2, 2);
    byte[] content = disk.content(DurableMark.FILE);
    content[4] = 9;
    content[DurableMark.SLOT_BYTES + 4] = 9;
    disk.plant(DurableMark.FILE, content);
    assertThatThrownBy(() -> LogInspection.checkVersions(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining(
            "/durable has format 9, this version of Kvorum reads formats up to 1");
    assertThatThrownBy(() -> TestLog.open(disk)).hasMessageContaining("has format 9");
  }
}
