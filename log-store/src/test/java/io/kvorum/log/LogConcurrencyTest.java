package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.RealDisk;
import io.kvorum.disk.WriteMode;
import io.kvorum.raft.Entry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** F040: readers on other threads while the log thread appends, rolls, and truncates both ends. */
class LogConcurrencyTest {
  private static final int ROUNDS = 1_500;
  private static final int READERS = 2;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(WriteMode.class)
  void readersSeeWholeEntriesOrNone(WriteMode mode) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(READERS + 1);
    // What is at or below it will not be cut from the end.
    AtomicLong stable = new AtomicLong();
    AtomicBoolean stop = new AtomicBoolean();
    LogConfig config = TestLog.CONFIG.withCacheBytes(4_000);
    try (LogStore log =
        LogStore.open(RealDisk.at(directory, mode), config, threads, new SplittableRandom(1), 0)) {
      List<Future<Long>> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        SplittableRandom random = new SplittableRandom(i);
        readers.add(threads.submit(() -> read(log, stable, stop, random)));
      }
      try {
        write(log, stable);
      } finally {
        stop.set(true);
      }
      for (Future<Long> reader : readers) {
        assertThat(reader.get(30, TimeUnit.SECONDS)).isGreaterThan(100);
      }
      assertThat(log.compacted().index()).isPositive();
    } finally {
      threads.shutdown();
      assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void write(LogStore log, AtomicLong stable) {
    SplittableRandom random = new SplittableRandom(99);
    for (int round = 0; round < ROUNDS; round++) {
      long last = log.last().index();
      long from = last + 1;
      if (round % 20 == 19) {
        // A conflict: some of what is not stable is replaced, by entries of a higher term.
        from = Math.max(stable.get() + 1, last - 5);
      }
      log.append(TestLog.entries(from, 1 + random.nextInt(6), 1 + round / 20, 300));
      if (round % 7 == 0) {
        log.sync();
      }
      if (round % 25 == 0) {
        stable.set(log.last().index());
        log.truncatePrefix(log.last().index() - 120);
      }
    }
  }

  private static long read(
      LogStore log, AtomicLong stable, AtomicBoolean stop, SplittableRandom random) {
    long count = 0;
    while (!stop.get() || count == 0) {
      long to = stable.get();
      long from = log.compacted().index() + 1;
      if (from >= to) {
        Thread.onSpinWait();
        continue;
      }
      from += random.nextLong(to - from);
      try {
        for (Entry entry : log.entries(from, to + 1, 2_000)) {
          assertThat(entry.index()).isEqualTo(from);
          byte[] expected = TestLog.entry(from, entry.term(), 300).payload();
          assertThat(entry.payload()).isEqualTo(expected);
          from++;
          count++;
        }
      } catch (CompactedException e) {
        // Between our two questions the prefix went.
        assertThat(log.compacted().index()).isGreaterThanOrEqualTo(from);
      }
    }
    return count;
  }
}
