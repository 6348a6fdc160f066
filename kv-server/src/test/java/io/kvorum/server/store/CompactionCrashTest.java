package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The removal of history ends at every call that it makes to the tables, also one for a second
 * compact revision that comes before the first is done (FAULTS F144, F145). Whatever a crash
 * leaves, what can be read follows from the log alone, and once the removal is over the rows are
 * those of a member that was never disturbed.
 */
class CompactionCrashTest {
  /** Each row goes to the tables at once, so that a removal has something to remove. */
  private StoreOptions options = StoreOptions.DEFAULT.withOverlay(2, 1 << 20);

  /** Of several deletions, which the first removal keeps and the second does not. */
  private static final int FIRST = 8;

  private static final int SECOND = 13;

  private final List<Entry> log = new ArrayList<>();

  /** What is seen of the log up to an index. */
  private final Map<Integer, Seen> expected = new TreeMap<>();

  CompactionCrashTest() {
    for (int round = 0; round < 3; round++) {
      put("a", "a" + round);
      put("b", "b" + round);
      delete(KeyRange.all());
      put("c", "c" + round);
    }
    compact(FIRST);
    put("a", "again");
    compact(SECOND);
    delete(KeyRange.single(Bytes.utf8("a")));
  }

  private void add(byte[] command) {
    log.add(new Entry(log.size() + 1L, 1, EntryType.COMMAND, command));
  }

  private void put(String key, String value) {
    add(Commands.put(Bytes.utf8(key), Bytes.utf8(value), PutOptions.DEFAULT, 1));
  }

  private void delete(KeyRange range) {
    add(Commands.deleteRange(range, DeleteOptions.DEFAULT, 1));
  }

  private void compact(long revision) {
    add(Commands.compact(revision, 1));
  }

  @ParameterizedTest
  @EnumSource
  void whatACrashLeavesReadsAsTheLogSays(FaultyTables.Fault fault) {
    crashEverywhere(fault);
  }

  /** What is removed apart is gone after a crash, whatever else is. */
  @ParameterizedTest
  @EnumSource
  void whatACrashLeavesReadsAsTheLogSaysAlsoWhenRowsAreRemovedApart(FaultyTables.Fault fault) {
    options = options.withRemovalRows(2);
    crashEverywhere(fault);
  }

  private void crashEverywhere(FaultyTables.Fault fault) {
    List<String> whole = undisturbed();
    int removing = 0;
    for (int writesPerFlush : new int[] {0, 1, 3}) {
      boolean completed = false;
      for (int call = 1; !completed; call++) {
        Medium medium = Medium.memory(writesPerFlush);
        FaultyTables tables = new FaultyTables(medium.open(), fault, call);
        completed = work(tables);
        KvStateMachine found = Homes.open(medium.crash(), options);
        String point = fault + " at call " + call + ", flushed every " + writesPerFlush;
        assertReadsAsTheLogSays(found, point);
        removing += found.removedRevision() < found.compactRevision() ? 1 : 0;
        // The removal goes on with what it finds, and the second revision comes meanwhile.
        while (found.header().appliedIndex() < log.size()) {
          steps(found, call % 6);
          apply(found, 1);
          assertReadsAsTheLogSays(found, point);
        }
        remove(found);
        assertThat(rows(found)).as(point).isEqualTo(whole);
      }
    }
    assertThat(removing).as("crashes in the middle of a removal").isGreaterThan(20);
  }

  /** False if a call failed. */
  private boolean work(FaultyTables tables) {
    KvStateMachine machine = null;
    try {
      machine = Homes.open(tables, options);
      while (machine.header().appliedIndex() < log.size()) {
        apply(machine, 3);
        step(machine);
      }
      remove(machine);
      return true;
    } catch (RuntimeException | OutOfMemoryError failed) {
      assertThat(tables.failed()).as("failed by plan: %s", failed).isTrue();
      if (machine != null) {
        machine.abandon();
      }
      return false;
    }
  }

  private void apply(KvStateMachine machine, int count) {
    int from = (int) machine.header().appliedIndex();
    int to = Math.min(log.size(), from + count);
    assertThat(machine.apply(log.subList(from, to))).hasSize(to - from);
  }

  /** Whether there was something to do. */
  private static boolean step(KvStateMachine machine) {
    try (CompactionStep step = machine.prepareCompaction(2)) {
      if (step == null) {
        return false;
      }
      step.run();
      machine.finishCompaction(step);
      return true;
    }
  }

  private static void steps(KvStateMachine machine, int most) {
    for (int i = 0; i < most && step(machine); i++) {
      assertThat(machine.removedRevision()).isLessThanOrEqualTo(machine.compactRevision());
    }
  }

  private static void remove(KvStateMachine machine) {
    while (step(machine)) {
      assertThat(machine.removedRevision()).isLessThanOrEqualTo(machine.compactRevision());
    }
  }

  private List<String> undisturbed() {
    KvStateMachine machine = KvStateMachine.open(new MemoryHome(1), options);
    apply(machine, log.size());
    remove(machine);
    assertThat(machine.removedRevision()).isEqualTo(SECOND);
    return rows(machine);
  }

  private static List<String> rows(KvStateMachine machine) {
    machine.flush();
    return Dump.of(machine.tables());
  }

  /** As a member with the same log that removes nothing, at every revision. */
  private void assertReadsAsTheLogSays(KvStateMachine found, String point) {
    Seen seen = Seen.of(found);
    assertThat(seen.header().revision()).as(point).isGreaterThanOrEqualTo(seen.compactRevision());
    int applied = (int) seen.header().appliedIndex();
    assertThat(seen).as(point).isEqualTo(expected.computeIfAbsent(applied, this::notRemoved));
  }

  private Seen notRemoved(int applied) {
    KvStateMachine other = KvStateMachine.open(new MemoryHome(1), options);
    if (applied > 0) {
      apply(other, applied);
    }
    return Seen.of(other);
  }

  /** All that can be read of a state. */
  private record Seen(
      Header header, long compactRevision, List<ReadOutcome<RangeResult>> atEachRevision) {
    static Seen of(KvStateMachine machine) {
      List<ReadOutcome<RangeResult>> ranges = new ArrayList<>();
      for (long revision = 0; revision <= machine.header().revision(); revision++) {
        ranges.add(machine.range(KeyRange.all(), RangeOptions.DEFAULT.withRevision(revision)));
      }
      return new Seen(machine.header(), machine.compactRevision(), ranges);
    }
  }
}
