package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.KeyRange;
import io.kvorum.api.RangeOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fails the n-th call to the tables, for n = 1, 2, 3 … until a run completes; crashes, looks at
 * what is left, and replays (FAULTS F024, F029, F160).
 */
class CrashEverywhereTest {
  @TempDir Path directory;

  @Test
  void aCrashAtAnyCallLeavesWholeEntriesAndReplaysToTheSameBytes() {
    int points = 0;
    for (FaultyTables.Fault fault : FaultyTables.Fault.values()) {
      // With a flush after each write, everything that reaches the tables is found after the crash.
      for (int writesPerFlush : new int[] {0, 1, 2}) {
        for (StoreOptions options : options()) {
          points += crashAtEachCall(fault, options, 1, n -> Medium.memory(writesPerFlush));
        }
      }
    }
    assertThat(points).as("calls that failed").isGreaterThan(500);
  }

  @Test
  void everySeventhCallOnRocks() {
    StoreOptions small = StoreOptions.DEFAULT.withOverlay(2, 1 << 20);
    int points =
        crashAtEachCall(
            FaultyTables.Fault.AFTER, small, 7, n -> Medium.rocks(directory.resolve("db" + n)));
    assertThat(points).as("calls that failed").isGreaterThan(10);
  }

  private static List<StoreOptions> options() {
    return List.of(
        StoreOptions.DEFAULT,
        StoreOptions.DEFAULT.withOverlay(1, 1).withCacheBytesMax(0),
        StoreOptions.DEFAULT.withOverlay(3, 1 << 20));
  }

  private static Entries entries() {
    return new Entries()
        .noOp(true)
        .put(Script.key('a'), 10, false)
        .put(Script.key('b'), 5000, true)
        .put(Script.key('a', 'b'), 1025, true)
        .put(Script.key('b'), 20, true)
        .delete(KeyRange.prefix(Script.key('a')), true)
        .noOp(true)
        .put(Script.key('a'), 30, true)
        .put(Script.key(0xff), 0, false)
        .delete(KeyRange.single(Script.key(7)), true)
        .delete(KeyRange.all(), false)
        .put(Script.key('c'), 1024, false);
  }

  private static int crashAtEachCall(
      FaultyTables.Fault fault, StoreOptions options, int stride, IntFunction<Medium> media) {
    List<String> whole = undisturbed(options);
    for (int n = 1; ; n += stride) {
      Medium medium = media.apply(n);
      FaultyTables tables = new FaultyTables(medium.open(), fault, n);
      if (work(tables, options)) {
        assertThat(tables.failed()).isFalse();
        return n / stride;
      }
      Entries entries = entries();
      Tables left = medium.crash();
      String point = fault + " at call " + n + " with " + options;
      KvStateMachine machine = Homes.open(left, options);
      long restored = machine.restored().index();
      RangeOptions all = RangeOptions.DEFAULT;
      assertThat(machine.range(KeyRange.all(), all))
          .as(point)
          .isEqualTo(
              new ReadOutcome.Answered<>(
                  entries
                      .model()
                      .range(entries.model().headerAfter(restored), KeyRange.all(), all, 4 << 20)));
      if (restored < entries.size()) {
        assertThat(machine.apply(entries.log(restored, entries.size())))
            .as(point)
            .isEqualTo(entries.expected(restored, entries.size()));
      }
      machine.flush();
      assertThat(Dump.of(left)).as(point).isEqualTo(whole);
      machine.close();
    }
  }

  private static List<String> undisturbed(StoreOptions options) {
    MemoryTables tables = new MemoryTables();
    KvStateMachine machine = Homes.open(tables, options);
    machine.apply(entries().log(0, entries().size()));
    machine.flush();
    return Dump.of(tables);
  }

  /** All that a store does in its life; false if a call failed. */
  private static boolean work(FaultyTables tables, StoreOptions options) {
    Entries entries = entries();
    KvStateMachine machine = null;
    try {
      machine = Homes.open(tables, options);
      machine.apply(entries.log(0, 3));
      machine.apply(entries.log(3, 4));
      machine.get(Script.key('b'), 2);
      machine.range(KeyRange.all(), RangeOptions.DEFAULT.withRevision(3));
      machine.apply(entries.log(4, 8));
      machine.flush();
      machine.flushedIndex();
      machine.apply(entries.log(8, entries.size()));
      machine.close();
      return true;
    } catch (RuntimeException | OutOfMemoryError failed) {
      assertThat(tables.failed()).as("failed by plan: %s", failed).isTrue();
      if (machine != null) {
        refusesAllWork(machine);
      }
      return false;
    }
  }

  private static void refusesAllWork(KvStateMachine machine) {
    // A failed read through a pinned scan, or of the flushed index, has left nothing half done.
    try {
      machine.get(Script.key('b'), 0);
    } catch (IllegalStateException refused) {
      assertThatThrownBy(machine::flush).isInstanceOf(IllegalStateException.class);
    }
    machine.abandon();
    assertThatThrownBy(() -> machine.apply(entries().log(0, 1)))
        .isInstanceOf(IllegalStateException.class);
  }
}
