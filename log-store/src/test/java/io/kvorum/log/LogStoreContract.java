package io.kvorum.log;

import static io.kvorum.log.TestLog.assertSame;
import static io.kvorum.log.TestLog.entries;
import static io.kvorum.log.TestLog.entry;
import static io.kvorum.log.TestLog.open;
import static io.kvorum.log.TestLog.readAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What the log promises on every disk that works. */
abstract class LogStoreContract {
  /** An empty directory, the same one at each call of a test. */
  abstract Disk disk();

  @Test
  void newLogIsEmpty() {
    assertThat(LogStore.exists(disk())).isFalse();
    try (LogStore log = open(disk())) {
      assertThat(log.first()).isNull();
      assertThat(log.last()).isEqualTo(EntryId.ZERO);
      assertThat(log.compacted()).isEqualTo(EntryId.ZERO);
      assertThat(log.term(0)).isZero();
      assertThat(log.sizeBytes()).isEqualTo(16 << 10);
    }
    assertThat(LogStore.exists(disk())).isTrue();
  }

  @Test
  void entriesAreReadAsWritten() {
    List<Entry> all = new ArrayList<>(entries(1, 5, 1, 100));
    all.add(Entry.noOp(6, 2));
    all.add(new Entry(7, 2, EntryType.MEMBERSHIP, new byte[] {1}));
    try (LogStore log = open(disk())) {
      log.append(all.subList(0, 3));
      log.append(all.subList(3, 7));
      assertSame(readAll(log), all);
      assertThat(log.durableIndex()).isZero();
      log.sync();
      assertThat(log.durableIndex()).isEqualTo(7);
      assertThat(log.first()).isEqualTo(new EntryId(1, 1));
      assertThat(log.last()).isEqualTo(new EntryId(7, 2));
      assertThat(log.term(5)).isEqualTo(1);
      assertThat(log.term(6)).isEqualTo(2);
    }
    try (LogStore log = open(disk())) {
      assertSame(readAll(log), all);
      assertThat(log.durableIndex()).isEqualTo(7);
      log.append(entries(8, 1, 2, 10));
      assertThat(log.last().index()).isEqualTo(8);
    }
  }

  @Test
  void limitNeverHidesTheFirstEntry() {
    try (LogStore log = open(disk())) {
      log.append(entries(1, 20, 1, 100));
      assertThat(log.entries(1, 21, 0)).hasSize(1);
      assertThat(log.entries(1, 21, 131)).hasSize(1);
      assertThat(log.entries(1, 21, 263)).hasSize(1);
      assertThat(log.entries(1, 21, 264)).hasSize(2);
      assertThat(log.entries(19, 21, 264)).hasSize(2);
      assertThat(log.entries(20, 21, 0)).hasSize(1);
      assertThat(log.entries(1, 21, Long.MAX_VALUE)).hasSize(20);
      // The cache holds the last few only: a range may begin in the map and end in the cache.
      assertThat(log.entries(10, 21, 132 * 9)).hasSize(9);
    }
  }

  @Test
  void logGoesOnInNewSegments() {
    List<Entry> all = new ArrayList<>();
    try (LogStore log = open(disk())) {
      for (int i = 0; i < 100; i++) {
        List<Entry> batch = entries(all.size() + 1, 7, 1 + i / 10, 100 + i);
        log.append(batch);
        all.addAll(batch);
      }
      log.sync();
      assertSame(readAll(log), all);
      assertThat(log.segments()).hasSizeGreaterThan(5);
      assertThat(log.segments().get(0).firstIndex()).isEqualTo(1);
      assertThat(log.segments().get(0).sealed()).isTrue();
      assertThat(log.segments().get(1).firstIndex())
          .isEqualTo(log.segments().get(0).lastIndex() + 1);
    }
    try (LogStore log = open(disk())) {
      assertSame(readAll(log), all);
      for (Entry entry : all) {
        assertThat(log.term(entry.index())).isEqualTo(entry.term());
      }
    }
  }

  @Test
  void oneBatchMayFillSeveralSegments() {
    List<Entry> all = entries(1, 500, 1, 150);
    try (LogStore log = open(disk())) {
      log.append(all);
      log.sync();
      assertSame(readAll(log), all);
    }
    try (LogStore log = open(disk())) {
      assertSame(readAll(log), all);
    }
  }

  @Test
  void largeBatchIsWrittenInChunks() {
    LogConfig large = LogConfig.DEFAULT.withSegmentBytes(8 << 20).withCacheBytes(0);
    List<Entry> all = new ArrayList<>(entries(1, 300, 1, 10_000));
    all.add(entry(301, 1, large.entryBytesMax()));
    all.addAll(entries(302, 300, 1, 0));
    try (LogStore log = open(disk(), large, 0)) {
      log.append(all);
      assertSame(readAll(log), all);
    }
    try (LogStore log = open(disk(), large, 601)) {
      assertSame(readAll(log), all);
    }
  }

  @Test
  void appendAtOrBelowTheEndTruncates() {
    try (LogStore log = open(disk())) {
      log.append(entries(1, 300, 1, 200));
      log.sync();
      log.append(entries(250, 3, 2, 50));
      assertThat(log.last()).isEqualTo(new EntryId(252, 2));
      // The durable mark never stands above the end.
      assertThat(log.durableIndex()).isEqualTo(249);
      log.sync();
      log.append(entries(1, 2, 3, 10));
      log.sync();
      assertSame(readAll(log), entries(1, 2, 3, 10));
      assertThat(log.segments()).hasSize(1);
    }
    try (LogStore log = open(disk())) {
      assertSame(readAll(log), entries(1, 2, 3, 10));
      assertThat(disk().list()).noneMatch(name -> name.endsWith(".idx"));
    }
  }

  /** F055: at the edges of segments and of the log. */
  @Test
  void suffixTruncationAtTheEdges() {
    List<Entry> all = entries(1, 60, 1, 900);
    TreeSet<Long> edges = new TreeSet<>(List.of(0L, 1L, 59L));
    try (LogStore log = open(disk())) {
      log.append(all);
      for (SegmentInfo segment : log.segments()) {
        edges.addAll(List.of(segment.firstIndex(), segment.lastIndex()));
        edges.add(segment.lastIndex() - 1);
      }
    }
    assertThat(edges).hasSizeGreaterThan(12);
    for (long keep : edges.descendingSet()) {
      try (LogStore log = open(disk())) {
        log.append(all.subList((int) log.last().index(), 60));
        log.truncateSuffix(keep);
        assertSame(readAll(log), all.subList(0, (int) keep));
      }
      try (LogStore log = open(disk(), TestLog.CONFIG, keep)) {
        assertThat(log.last().index()).isEqualTo(keep);
      }
    }
  }

  @Test
  void prefixGoesInWholeSegments() {
    List<Entry> all = entries(1, 200, 3, 600);
    try (LogStore log = open(disk())) {
      log.append(all);
      log.sync();
      SegmentInfo third = log.segments().get(2);
      log.truncatePrefix(third.firstIndex() - 2);
      assertThat(log.segments().get(0).firstIndex()).isLessThan(third.firstIndex());
      log.truncatePrefix(third.firstIndex() - 1);
      assertThat(log.segments().get(0)).isEqualTo(third);
      assertThat(log.compacted()).isEqualTo(new EntryId(third.firstIndex() - 1, 3));
      assertThat(log.first()).isEqualTo(new EntryId(third.firstIndex(), 3));
      assertThat(log.term(log.compacted().index())).isEqualTo(3);
      long gone = log.compacted().index();
      assertThatThrownBy(() -> log.entries(gone, gone + 1, 1))
          .isInstanceOf(CompactedException.class);
      assertThatThrownBy(() -> log.term(gone - 1)).isInstanceOf(CompactedException.class);
      // Never the segment that is written.
      log.truncatePrefix(1_000);
      assertThat(log.segments()).hasSize(1);
      assertSame(readAll(log), all.subList((int) log.compacted().index(), 200));
      assertThatThrownBy(() -> log.append(entries(log.compacted().index(), 1, 9, 1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    try (LogStore log = open(disk())) {
      assertSame(readAll(log), all.subList((int) log.compacted().index(), 200));
    }
  }

  /** F058: nothing in a record depends on the records before it in the log. */
  @Test
  void resetContinuesAfterASnapshot() {
    try (LogStore log = open(disk())) {
      log.append(entries(1, 100, 1, 600));
      log.reset(new EntryId(500, 4));
      assertThat(log.first()).isNull();
      assertThat(log.last()).isEqualTo(new EntryId(500, 4));
      assertThat(log.compacted()).isEqualTo(new EntryId(500, 4));
      assertThat(log.durableIndex()).isEqualTo(500);
      log.append(entries(501, 60, 4, 600));
      log.append(entries(520, 5, 5, 600));
    }
    try (LogStore log = open(disk(), TestLog.CONFIG, 524)) {
      assertThat(log.compacted()).isEqualTo(new EntryId(500, 4));
      List<Entry> expected = new ArrayList<>(entries(501, 19, 4, 600));
      expected.addAll(entries(520, 5, 5, 600));
      assertSame(readAll(log), expected);
      // Also to something that was in the log, and back to the very start of the file names.
      log.reset(new EntryId(510, 4));
      log.append(entries(511, 1, 6, 1));
      log.reset(new EntryId(510, 4));
      assertThat(log.last()).isEqualTo(new EntryId(510, 4));
    }
  }

  @Test
  void wrongAppendsChangeNothing() {
    try (LogStore log = open(disk())) {
      log.append(entries(1, 3, 5, 10));
      List<List<Entry>> wrong =
          List.of(
              entries(5, 1, 5, 1),
              entries(4, 1, 4, 1),
              List.of(entry(4, 5, 1), entry(6, 5, 1)),
              List.of(entry(4, 6, 1), entry(5, 5, 1)),
              entries(4, 1, 5, TestLog.CONFIG.entryBytesMax() + 1));
      for (List<Entry> batch : wrong) {
        assertThatThrownBy(() -> log.append(batch)).isInstanceOf(IllegalArgumentException.class);
      }
      log.append(List.of());
      assertSame(readAll(log), entries(1, 3, 5, 10));
      log.append(entries(4, 1, 5, TestLog.CONFIG.entryBytesMax()));
    }
    try (LogStore log = open(disk())) {
      assertThat(log.last().index()).isEqualTo(4);
    }
  }

  @Test
  void readsOutsideTheLogAreRefused() {
    try (LogStore log = open(disk())) {
      log.append(entries(1, 3, 1, 10));
      assertThatThrownBy(() -> log.entries(1, 5, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> log.entries(2, 2, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> log.entries(0, 2, 1)).isInstanceOf(CompactedException.class);
      assertThatThrownBy(() -> log.term(4)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void oneLogForEachDirectory() {
    try (LogStore log = open(disk())) {
      assertThat(log.last()).isEqualTo(EntryId.ZERO);
      assertThatThrownBy(() -> open(disk()))
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining(disk().location());
    }
    open(disk()).close();
  }

  @Test
  void closedLogAnswersNothing() {
    LogStore log = open(disk());
    log.append(entries(1, 1, 1, 1));
    log.close();
    log.close();
    assertThatThrownBy(log::last).hasMessage("the log is closed");
    assertThatThrownBy(() -> log.append(entries(2, 1, 1, 1))).hasMessage("the log is closed");
  }

  @Test
  void segmentSizeMayChange() {
    try (LogStore log = open(disk())) {
      log.append(entries(1, 40, 1, 600));
      log.truncatePrefix(40);
      log.reset(new EntryId(40, 1));
    }
    LogConfig larger = TestLog.CONFIG.withSegmentBytes(64 << 10).withEntryBytesMax(40 << 10);
    try (LogStore log = open(disk(), larger, 0)) {
      // It does not even fit the empty segment that is there.
      log.append(entries(41, 3, 1, 40 << 10));
    }
    try (LogStore log = open(disk())) {
      assertSame(readAll(log), entries(41, 3, 1, 40 << 10));
      log.append(entries(44, 50, 1, 600));
    }
    try (LogStore log = open(disk(), larger, 93)) {
      assertThat(log.last().index()).isEqualTo(93);
    }
  }

  @Test
  void missingLogIsNoticedByWhoKnowsItWasThere() {
    assertThatThrownBy(() -> open(disk(), TestLog.CONFIG, 1))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("there is no log")
        .hasMessageContaining(disk().location());
    // The refusal has changed nothing, and holds nothing.
    open(disk()).close();
    assertThatThrownBy(() -> open(disk(), TestLog.CONFIG, 1))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("entry 1");
  }
}
