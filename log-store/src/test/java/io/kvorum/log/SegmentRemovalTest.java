package io.kvorum.log;

import static io.kvorum.log.TestLog.entries;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.EntryId;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Segments that are gone for readers, and whose files go when the background gets to it. */
final class SegmentRemovalTest {
  private final SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(3));
  private final ArrayDeque<Runnable> background = new ArrayDeque<>();

  private LogStore open() {
    return LogStore.open(disk, TestLog.CONFIG, background::add, new SplittableRandom(4), 0);
  }

  private void runBackground() {
    Runnable task;
    while ((task = background.poll()) != null) {
      task.run();
    }
  }

  /** A log of several segments, of which all but the last two are given up. */
  private LogStore truncated() {
    LogStore log = open();
    log.append(entries(1, 200, 3, 600));
    log.sync();
    runBackground();
    List<SegmentInfo> segments = log.segments();
    assertThat(segments).hasSizeGreaterThan(4);
    log.truncatePrefix(segments.get(segments.size() - 2).firstIndex() - 1);
    assertThat(log.segments()).hasSize(2);
    return log;
  }

  private long files() {
    return disk.names().stream().filter(Segment::isSegment).count();
  }

  @Test
  void filesGoInTheBackgroundAndReadersDoNotSeeThem() {
    try (LogStore log = truncated()) {
      assertThat(files()).isGreaterThan(4);
      long gone = log.compacted().index();
      assertThatThrownBy(() -> log.entries(gone, gone + 1, 1))
          .isInstanceOf(CompactedException.class);
      runBackground();
      assertThat(files()).isEqualTo(2);
    }
  }

  @Test
  void whatACrashLeavesIsTheBeginningOfTheLogAgain() {
    LogStore log = truncated();
    long last = log.last().index();
    disk.crash();
    disk.restart();
    background.clear();
    try (LogStore again = open()) {
      assertThat(again.compacted()).isEqualTo(EntryId.ZERO);
      assertThat(again.last().index()).isEqualTo(last);
    }
  }

  @Test
  void aResetAndACloseDoNotLeaveAny() {
    LogStore log = truncated();
    log.reset(new EntryId(1_000, 4));
    assertThat(files()).isEqualTo(1);
    log.append(entries(1_001, 200, 4, 600));
    log.sync();
    log.truncatePrefix(1_100);
    log.close();
    long left = files();
    runBackground();
    assertThat(files()).isEqualTo(left);
    try (LogStore again = open()) {
      assertThat(again.compacted().index()).isGreaterThan(1_000);
    }
  }

  @Test
  void aFailureInTheBackgroundKillsTheStore() {
    LogStore log = truncated();
    disk.failAt(1);
    runBackground();
    assertThatThrownBy(log::sync).isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(() -> log.append(entries(201, 1, 3, 1)))
        .isInstanceOf(UncheckedIOException.class);
    disk.calm();
    log.close();
  }
}
