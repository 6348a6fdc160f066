package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What the tests of the log share: small segments, and entries whose content tells their id. */
final class TestLog {
  /** A cache of few entries, so that most reads come from the map. */
  static final LogConfig CONFIG = new LogConfig(16 << 10, 8 << 10, 512, 7, true);

  private TestLog() {}

  static LogStore open(Disk disk) {
    return open(disk, CONFIG, 0);
  }

  static LogStore open(Disk disk, LogConfig config, long knownDurable) {
    return LogStore.open(disk, config, Runnable::run, new SplittableRandom(42), knownDurable);
  }

  static Entry entry(long index, long term, int bytes) {
    byte[] payload = new byte[bytes];
    SplittableRandom random = new SplittableRandom(index * 1_000_003 + term);
    for (int i = 0; i < bytes; i++) {
      payload[i] = (byte) random.nextInt();
    }
    return new Entry(index, term, EntryType.COMMAND, payload);
  }

  /** Consecutive entries of one size. */
  static List<Entry> entries(long from, int count, long term, int bytes) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(entry(from + i, term, bytes));
    }
    return entries;
  }

  /** All entries that the log has, read one range at a time, so that limits are met too. */
  static List<Entry> readAll(LogStore log) {
    List<Entry> all = new ArrayList<>();
    long next = log.compacted().index() + 1;
    while (next <= log.last().index()) {
      List<Entry> some = log.entries(next, log.last().index() + 1, 3_000);
      all.addAll(some);
      next += some.size();
    }
    return all;
  }

  /** {@link Entry} compares payloads by identity; a test wants the bytes. */
  static void assertSame(List<Entry> found, List<Entry> expected) {
    assertThat(found.stream().map(Entry::id).toList())
        .isEqualTo(expected.stream().map(Entry::id).toList());
    for (int i = 0; i < found.size(); i++) {
      assertThat(found.get(i).payload()).isEqualTo(expected.get(i).payload());
      assertThat(found.get(i).type()).isEqualTo(expected.get(i).type());
    }
  }
}
