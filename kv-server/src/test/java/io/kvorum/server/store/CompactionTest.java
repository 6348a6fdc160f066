package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.InvariantViolation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cases of compaction in which something could go wrong that chance rarely meets. */
class CompactionTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");

  private final List<Entry> log = new ArrayList<>();
  private MemoryTables tables = new MemoryTables(1);
  private KvStateMachine machine = Homes.open(tables, StoreOptions.DEFAULT);

  private ApplyResult apply(byte[] command) {
    log.add(new Entry(log.size() + 1L, 1, EntryType.COMMAND, command));
    return machine.apply(log.subList(log.size() - 1, log.size())).get(0);
  }

  private void put(Bytes key, String value) {
    apply(Commands.put(key, Bytes.utf8(value), PutOptions.DEFAULT, 0));
  }

  private void delete(KeyRange range) {
    apply(Commands.deleteRange(range, DeleteOptions.DEFAULT, 0));
  }

  private void compact(long revision) {
    assertThat(apply(Commands.compact(revision, 0))).isInstanceOf(ApplyResult.Compacted.class);
  }

  private CompactionStep scanned(int events) {
    CompactionStep step = machine.prepareCompaction(events);
    assertThat(step).isNotNull();
    try (step) {
      step.run();
    }
    return step;
  }

  private void removeAll() {
    while (machine.removedRevision() < machine.compactRevision()) {
      machine.finishCompaction(scanned(1));
    }
  }

  private String at(Bytes key, long revision) {
    ReadOutcome<GetResult> outcome = machine.get(key, revision);
    if (outcome instanceof ReadOutcome.Answered<GetResult> answered) {
      return answered.result().keyValue().map(KeyValue::value).map(Bytes::toUtf8).orElse("-");
    }
    return ((ReadOutcome.Refused<GetResult>) outcome).refusal().reason().name();
  }

  private List<String> events() {
    List<String> events = new ArrayList<>();
    try (TableCursor rows = tables.scan(Table.REV, new byte[0], null, false)) {
      while (rows.next()) {
        RevRow row = new RevRow(RevRow.revision(rows.key()), rows.value());
        events.add(
            RevRow.revision(rows.key()) + (row.isDelete() ? " deletes " : " puts ") + row.key());
      }
    }
    return events;
  }

  private void crash() {
    machine.abandon();
    tables = tables.crash();
    machine = Homes.open(tables, StoreOptions.DEFAULT);
  }

  /** F113: a watch may begin at the compact revision, and has to hear of the deletion. */
  @Test
  void theDeletionAtTheCompactRevisionStaysUntilTheNextCompaction() {
    put(A, "1");
    delete(KeyRange.single(A));
    compact(3);
    removeAll();
    assertThat(events()).containsExactly("3 deletes a");
    assertThat(at(A, 3)).isEqualTo("-");
    put(A, "2");
    assertThat(at(A, 3)).isEqualTo("-");
    compact(4);
    removeAll();
    assertThat(events()).containsExactly("4 puts a");
    assertThat(at(A, 4)).isEqualTo("2");
  }

  /** F144: the newest revision was a deletion, which is gone. */
  @Test
  void theRevisionDoesNotGoBackWhenItsLastEventIsRemoved() {
    put(A, "1");
    delete(KeyRange.single(A));
    compact(3);
    put(B, "1");
    delete(KeyRange.single(B));
    compact(5);
    removeAll();
    put(A, "2");
    compact(6);
    removeAll();
    machine.flush();
    crash();
    assertThat(machine.header().revision()).isEqualTo(6);
    assertThat(machine.compactRevision()).isEqualTo(6);
    put(B, "2");
    assertThat(machine.header().revision()).isEqualTo(7);
  }

  @Test
  void aSecondCompactionGoesOverWhatTheFirstHasKeptOfItsOwnRevision() {
    tables = new MemoryTables(1);
    machine = Homes.open(tables, StoreOptions.DEFAULT.withRemovalRows(1));
    put(A, "1");
    put(B, "1");
    delete(KeyRange.all());
    put(A, "2");
    compact(4);
    // Up to the middle of revision 4, whose deletions stay for now; the last one removes.
    machine.finishCompaction(scanned(1));
    machine.finishCompaction(scanned(1));
    machine.finishCompaction(scanned(1));
    machine.finishCompaction(scanned(1));
    assertThat(events()).containsExactly("3 puts b", "4 deletes a", "4 deletes b", "5 puts a");
    compact(5);
    removeAll();
    assertThat(events()).containsExactly("5 puts a");
  }

  /** F145: nothing is missing that a state says can be read. */
  @Test
  void aCrashFindsNothingRemovedThatItsStateStillKnows() {
    put(A, "1");
    put(A, "2");
    put(A, "3");
    machine.flush();
    compact(4);
    machine.finishCompaction(scanned(1000));
    crash();
    for (long revision = 2; revision <= 4; revision++) {
      String expected =
          revision < machine.compactRevision() ? "REVISION_COMPACTED" : "" + (revision - 1);
      assertThat(at(A, revision)).isEqualTo(expected);
    }
  }

  @Test
  void aKeyThatComesBackWhileItsTombstoneIsFoundStays() {
    put(A, "1");
    delete(KeyRange.single(A));
    put(B, "1");
    compact(4);
    CompactionStep step = scanned(1000);
    put(A, "2");
    machine.finishCompaction(step);
    assertThat(at(A, 0)).isEqualTo("2");
    assertThat(at(A, 4)).isEqualTo("-");
    machine.flush();
    crash();
    assertThat(at(A, 0)).isEqualTo("2");
    assertThat(at(A, 4)).isEqualTo("-");
  }

  private void removeApart() {
    machine = Homes.open(tables, StoreOptions.DEFAULT.withRemovalRows(1));
  }

  /** Files of rows that nobody may read go as a whole, with snapshots that are open or not. */
  @Test
  void aPinnedReaderKeepsWhatIsRemovedApartMeanwhile() {
    removeApart();
    aPinnedReaderKeepsWhatIsRemovedMeanwhile();
  }

  @Test
  void whoIsPinnedBehindACompactionReadsAllThatItKeeps() {
    removeApart();
    put(A, "1");
    put(A, "2");
    put(B, "1");
    compact(4);
    try (RangeScan scan = machine.prepareRange(KeyRange.all(), RangeOptions.DEFAULT)) {
      removeAll();
      assertThat(events()).containsExactly("3 puts a", "4 puts b");
      assertThat(valuesOf(scan.run())).containsExactly("2", "1");
    }
  }

  private static List<String> valuesOf(ReadOutcome<RangeResult> outcome) {
    assertThat(outcome).isInstanceOf(ReadOutcome.Answered.class);
    var result = ((ReadOutcome.Answered<RangeResult>) outcome).result();
    return result.keyValues().stream().map(kv -> kv.value().toUtf8()).toList();
  }

  @Test
  void aPinnedReaderKeepsWhatIsRemovedMeanwhile() {
    put(A, "1");
    put(A, "2");
    put(B, "1");
    var options = RangeOptions.DEFAULT.withRevision(2);
    try (RangeScan scan = machine.prepareRange(KeyRange.all(), options)) {
      compact(4);
      removeAll();
      assertThat(valuesOf(scan.run())).containsExactly("1");
    }
    assertThat(at(A, 2)).isEqualTo(Reason.REVISION_COMPACTED.name());
  }

  @Test
  void whatIsMissingForAnotherReasonIsDamage() {
    put(A, "1");
    put(A, "2");
    machine.flush();
    TableBatch batch = tables.batch();
    batch.delete(Table.REV, RevRow.key(2, 0));
    tables.write(batch);
    assertThatThrownBy(() -> machine.get(A, 2)).isInstanceOf(InvariantViolation.class);
  }
}
