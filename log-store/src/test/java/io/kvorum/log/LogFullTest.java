package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.DiskFullException;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** FAULTS F045, F046: a log that meets a full disk is whole and goes on, or is dead. */
class LogFullTest {
  private final List<Entry> expected = new ArrayList<>();

  /** Appends what is missing, as a caller does who is told that there is no space. */
  private static boolean append(LogStore log, List<Entry> entries) {
    long done = Math.max(0, log.last().index() - entries.get(0).index() + 1);
    try {
      log.append(entries.subList((int) done, entries.size()));
      return true;
    } catch (DiskFullException full) {
      return false;
    }
  }

  @Test
  void logThatIsFullAtAnyCallGoesOnBehindWhatItHas() {
    int full = 0;
    for (int call = 1; ; call++) {
      SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(call));
      LogStore log = TestLog.open(disk);
      expected.clear();
      disk.fullFrom(call);
      boolean isFull = false;
      for (int batch = 0; batch < 6; batch++) {
        // The third one is larger than two segments.
        List<Entry> entries = TestLog.entries(expected.size() + 1L, batch == 2 ? 60 : 7, 1, 700);
        expected.addAll(entries);
        if (!append(log, entries)) {
          isFull = true;
          assertThat(log.isDead()).as("full at call " + call).isFalse();
          assertThat(log.last().index()).isLessThan(expected.size());
          TestLog.assertSame(TestLog.readAll(log), expected.subList(0, (int) log.last().index()));
          log.sync();
          disk.quotaBytes(Long.MAX_VALUE);
          assertThat(append(log, entries)).isTrue();
        }
        log.sync();
      }
      TestLog.assertSame(TestLog.readAll(log), expected);
      log.close();
      try (LogStore again = TestLog.open(disk)) {
        TestLog.assertSame(TestLog.readAll(again), expected);
      }
      full += isFull ? 1 : 0;
      if (!isFull) {
        break;
      }
    }
    assertThat(full).isGreaterThan(20);
  }

  /** The old suffix is all there, or all gone; never is a part of it taken for the new one. */
  @Test
  void truncationThatMeetsAFullDiskIsDoneOrEndsTheStore() {
    int died = 0;
    int met = 0;
    for (int call = 1; call < 60; call++) {
      SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(call));
      LogStore log = TestLog.open(disk);
      List<Entry> old = TestLog.entries(1, 60, 1, 700);
      log.append(old);
      log.sync();
      List<Entry> newer = TestLog.entries(11, 60, 2, 700);
      disk.fullFrom(call);
      boolean isFull = false;
      try {
        log.append(newer);
        log.sync();
      } catch (DiskFullException full) {
        isFull = true;
        met++;
      }
      disk.quotaBytes(Long.MAX_VALUE);
      List<Entry> either = new ArrayList<>(old.subList(0, 10));
      either.addAll(newer);
      if (isFull && !log.isDead()) {
        long has = log.last().term() == 2 ? log.last().index() - 10 : 0;
        log.append(newer.subList((int) has, newer.size()));
        log.sync();
      }
      boolean isDead = log.isDead();
      died += isDead ? 1 : 0;
      log.close();
      try (LogStore again = TestLog.open(disk)) {
        TestLog.assertSame(TestLog.readAll(again), isDead ? old : either);
      }
    }
    assertThat(met).isGreaterThan(3);
    assertThat(died).isPositive().isLessThan(met);
  }

  /**
   * The index of a sealed segment says that another one has followed, also where it has no room.
   */
  @Test
  void theLossOfTheLastSegmentIsNoticedThoughTheDiskWasFull() {
    SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(3));
    LogStore log = TestLog.open(disk);
    int segments = log.segments().size();
    long index = 1;
    disk.quotaBytes(0);
    while (log.segments().size() == segments) {
      assertThat(append(log, TestLog.entries(index, 1, 1, 700))).isTrue();
      log.sync();
      index++;
    }
    disk.quotaBytes(Long.MAX_VALUE);
    disk.crash();
    disk.restart();
    List<String> names = disk.names().stream().filter(Segment::isSegment).sorted().toList();
    assertThat(names).hasSize(2);
    disk.lose(names.get(1));
    assertThatThrownBy(() -> TestLog.open(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("a segment followed it that is missing now");
  }
}
