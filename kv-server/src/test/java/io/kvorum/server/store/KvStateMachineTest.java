package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.DeleteRange;
import io.kvorum.server.store.protocol.Put;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class KvStateMachineTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");

  private MemoryTables tables = new MemoryTables();
  private KvStateMachine machine = Homes.open(tables, StoreOptions.DEFAULT);
  private final List<Entry> log = new ArrayList<>();

  private ApplyResult apply(byte[] command) {
    log.add(new Entry(log.size() + 1L, 1, EntryType.COMMAND, command));
    return machine.apply(log.subList(log.size() - 1, log.size())).get(0);
  }

  private ApplyResult put(Bytes key, Bytes value) {
    return apply(Commands.put(key, value, PutOptions.DEFAULT, 5));
  }

  private ApplyResult delete(KeyRange range) {
    return apply(Commands.deleteRange(range, DeleteOptions.DEFAULT, 5));
  }

  private RangeResult range(KeyRange range, RangeOptions how) {
    return answer(machine.range(range, how));
  }

  private static <T> T answer(ReadOutcome<T> outcome) {
    assertThat(outcome).isInstanceOf(ReadOutcome.Answered.class);
    return ((ReadOutcome.Answered<T>) outcome).result();
  }

  private static Reason reason(ReadOutcome<?> outcome) {
    assertThat(outcome).isInstanceOf(ReadOutcome.Refused.class);
    return ((ReadOutcome.Refused<?>) outcome).refusal().reason();
  }

  private static Reason reason(ApplyResult result) {
    assertThat(result).isInstanceOf(ApplyResult.Rejected.class);
    return ((ApplyResult.Rejected) result).refusal().reason();
  }

  private static List<Bytes> keys(RangeResult result) {
    return result.keyValues().stream().map(KeyValue::key).toList();
  }

  private void crashAndReplay() {
    machine.abandon();
    tables = tables.crash();
    machine = Homes.open(tables, StoreOptions.DEFAULT);
    List<Entry> lost = log.subList((int) machine.restored().index(), log.size());
    if (!lost.isEmpty()) {
      machine.apply(lost);
    }
  }

  @Test
  void aNewStoreIsAtRevisionOneAndTheFirstPutGetsTwo() {
    assertThat(machine.restored()).isEqualTo(EntryId.ZERO);
    assertThat(machine.header()).isEqualTo(new Header(1, 0, 0, 0));
    assertThat(answer(machine.get(A, 0)).keyValue()).isEmpty();
    assertThat(answer(machine.get(A, 1)).keyValue()).isEmpty();
    assertThat(put(A, B).header()).isEqualTo(new Header(2, 1, 1, 5));
    assertThat(answer(machine.get(A, 0)).keyValue()).contains(new KeyValue(A, B, 2, 2, 1, 0));
  }

  @Test
  void logTimeIsTheLargestSeen() {
    apply(Commands.put(A, B, PutOptions.DEFAULT, 90));
    apply(Commands.put(A, B, PutOptions.DEFAULT, 70));
    assertThat(machine.header().logTimeMillis()).isEqualTo(90);
    crashAndReplay();
    assertThat(machine.header().logTimeMillis()).isEqualTo(90);
    apply(Commands.deleteRange(KeyRange.single(B), DeleteOptions.DEFAULT, 91));
    assertThat(machine.header()).isEqualTo(new Header(3, 1, 3, 91));
  }

  /** FAULTS F144. */
  @Test
  void theRevisionStaysWhenTheNewestChangeIsADelete() {
    put(A, B);
    delete(KeyRange.single(A));
    assertThat(machine.header().revision()).isEqualTo(3);
    crashAndReplay();
    assertThat(machine.header().revision()).isEqualTo(3);
    machine.close();
    tables = tables.crash();
    machine = Homes.open(tables, StoreOptions.DEFAULT);
    assertThat(machine.header().revision()).isEqualTo(3);
    assertThat(answer(machine.get(A, 2)).keyValue()).isPresent();
    assertThat(put(A, B).header().revision()).isEqualTo(4);
    assertThat(answer(machine.get(A, 0)).keyValue()).contains(new KeyValue(A, B, 4, 4, 1, 0));
  }

  /** FAULTS F098: the store says where it stands before the first entry after a start. */
  @Test
  void aRestartedStoreReadsWhatItHad() {
    put(A, B);
    machine.close();
    machine = Homes.open(tables.crash(), StoreOptions.DEFAULT);
    assertThat(machine.restored()).isEqualTo(new EntryId(1, 1));
    assertThat(machine.flushedIndex()).isEqualTo(1);
    assertThat(machine.header()).isEqualTo(new Header(2, 1, 1, 5));
    assertThat(answer(machine.get(A, 0)).value()).contains(B);
    assertThat(keys(range(KeyRange.all(), RangeOptions.DEFAULT))).containsExactly(A);
  }

  /** FAULTS F139. Keys a to e; f was deleted, g came later than the revision read. */
  @ParameterizedTest
  @CsvSource({
    "0, false, abcde, false",
    "1, false, a, true",
    "4, false, abcd, true",
    "5, false, abcde, false",
    "6, false, abcde, false",
    "0, true, edcba, false",
    "1, true, e, true",
    "4, true, edcb, true",
    "5, true, edcba, false",
    "6, true, edcba, false",
  })
  void limitAndOrder(long limit, boolean reverse, String expected, boolean more) {
    for (String key : List.of("c", "a", "f", "e", "b", "d")) {
      put(Bytes.utf8(key), Bytes.utf8("v" + key));
    }
    delete(KeyRange.single(Bytes.utf8("f")));
    long revision = machine.header().revision();
    put(Bytes.utf8("g"), A);
    RangeOptions forward = RangeOptions.DEFAULT.withLimit(limit).withRevision(revision);
    RangeOptions how = reverse ? forward.withReverse() : forward;

    RangeResult result = range(KeyRange.all(), how);
    assertThat(String.join("", keys(result).stream().map(Bytes::toUtf8).toList()))
        .isEqualTo(expected);
    assertThat(result.more()).isEqualTo(more);
    assertThat(result.count()).isEqualTo(5);
    assertThat(result.header()).isEqualTo(machine.header());
    assertThat(result.keyValues().get(0).value().size()).isEqualTo(2);

    RangeResult keysOnly = range(KeyRange.all(), how.withKeysOnly());
    assertThat(keys(keysOnly)).isEqualTo(keys(result));
    assertThat(keysOnly.keyValues()).allMatch(found -> found.value().isEmpty());
    RangeResult counted = range(KeyRange.all(), how.withCountOnly());
    assertThat(counted).isEqualTo(new RangeResult(machine.header(), List.of(), false, 5));
  }

  /**
   * FAULTS F139: pages at one revision are complete and without duplicates, whatever is written.
   */
  @Test
  void pagesOfOneRevisionAreItsState() {
    for (int i = 0; i < 25; i++) {
      put(Bytes.utf8("k" + (100 + i)), A);
    }
    long revision = machine.header().revision();
    List<Bytes> before = keys(range(KeyRange.all(), RangeOptions.DEFAULT));
    List<Bytes> paged = new ArrayList<>();
    Bytes next = Bytes.utf8("k");
    RangeResult page;
    do {
      page = range(KeyRange.from(next), RangeOptions.DEFAULT.withLimit(7).withRevision(revision));
      paged.addAll(keys(page));
      next = KeyRange.single(paged.get(paged.size() - 1)).to();
      delete(KeyRange.single(paged.get(0)));
      put(Bytes.utf8("k1" + paged.size() + "x"), B);
      delete(KeyRange.of(Bytes.utf8("k120"), Bytes.utf8("k122")));
    } while (page.more());
    assertThat(before).hasSize(25);
    assertThat(paged).isEqualTo(before);
  }

  static Stream<Bytes> prefixes() {
    return Stream.concat(Script.KEYS.stream(), Stream.of(Bytes.EMPTY, Script.key('z')));
  }

  /** FAULTS F138: a prefix is what a filter by startsWith over a full list finds. */
  @ParameterizedTest
  @MethodSource("prefixes")
  void aPrefixIsWhatStartsWithIt(Bytes prefix) {
    Script.KEYS.forEach(key -> put(key, A));
    List<Bytes> with = Script.KEYS.stream().filter(key -> key.startsWith(prefix)).sorted().toList();
    List<Bytes> without =
        Script.KEYS.stream().filter(key -> !key.startsWith(prefix)).sorted().toList();

    assertThat(keys(range(KeyRange.prefix(prefix), RangeOptions.DEFAULT))).isEqualTo(with);
    ApplyResult.DeleteApplied deleted =
        (ApplyResult.DeleteApplied)
            apply(
                Commands.deleteRange(
                    KeyRange.prefix(prefix), DeleteOptions.DEFAULT.withPrevious(), 0));
    assertThat(deleted.result().deleted()).isEqualTo(with.size());
    assertThat(deleted.result().previous().stream().map(KeyValue::key).toList()).isEqualTo(with);
    assertThat(keys(range(KeyRange.all(), RangeOptions.DEFAULT))).isEqualTo(without);
  }

  @Test
  void readsOutsideOfWhatIsKeptAreRefused() {
    put(A, B);
    assertThat(reason(machine.get(A, 3))).isEqualTo(Reason.REVISION_IN_FUTURE);
    assertThat(reason(machine.get(A, -1))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(reason(machine.get(Bytes.EMPTY, 0))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(reason(machine.get(Script.value(StoreLimits.KEY_BYTES_MAX + 1, 1), 0)))
        .isEqualTo(Reason.TOO_LARGE);
    RangeOptions count = RangeOptions.DEFAULT.withCountOnly();
    assertThat(reason(machine.range(KeyRange.all(), count.withRevision(3))))
        .isEqualTo(Reason.REVISION_IN_FUTURE);
    assertThat(reason(machine.range(KeyRange.all(), count.withLimit(-1))))
        .isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(answer(machine.get(A, 2)).value()).contains(B);
  }

  @Test
  void compactedRevisionsAreRefusedAndTheBoundCanBeRead() {
    TableBatch batch = tables.batch();
    StoreState compacted =
        new StoreState(new EntryId(9, 2), 8, 6, 0, Membership.EMPTY, Space.EMPTY);
    batch.put(Table.META, StoreState.rowKey(), compacted.encode(StateHash.ZERO));
    tables.write(batch);
    machine = Homes.open(tables, StoreOptions.DEFAULT);

    assertThat(machine.get(A, 5))
        .isInstanceOfSatisfying(
            ReadOutcome.Refused.class,
            refused -> {
              assertThat(refused.refusal().reason()).isEqualTo(Reason.REVISION_COMPACTED);
              assertThat(refused.compactRevision()).isEqualTo(6);
            });
    assertThat(reason(machine.range(KeyRange.all(), RangeOptions.DEFAULT.withRevision(5))))
        .isEqualTo(Reason.REVISION_COMPACTED);
    assertThat(answer(machine.get(A, 6)).keyValue()).isEmpty();
    assertThat(answer(machine.get(A, 0)).header().revision()).isEqualTo(8);
  }

  /** FAULTS F142: the limits of a command decide alike at every replay, and change nothing. */
  @Test
  void commandsOverALimitAreRejectedAsValues() {
    Bytes longest = Script.value(StoreLimits.KEY_BYTES_MAX, 1);
    Bytes tooLong = Script.value(StoreLimits.KEY_BYTES_MAX + 1, 1);
    assertThat(put(longest, A)).isInstanceOf(ApplyResult.PutApplied.class);
    assertThat(reason(put(tooLong, A))).isEqualTo(Reason.TOO_LARGE);
    assertThat(reason(put(Bytes.EMPTY, A))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(reason(apply(rawDelete("", "b")))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(reason(apply(rawDelete("b", "b")))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(reason(apply(rawDelete("b", "a")))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(reason(delete(KeyRange.of(A, tooLongEnd())))).isEqualTo(Reason.TOO_LARGE);
    assertThat(delete(KeyRange.single(longest))).isInstanceOf(ApplyResult.DeleteApplied.class);

    int room = StoreLimits.COMMAND_BYTES_MAX - Commands.put(A, B, PutOptions.DEFAULT, 5).length;
    Bytes largest = Script.value(room - 10, 1);
    assertThat(put(A, largest)).isInstanceOf(ApplyResult.PutApplied.class);
    assertThat(reason(put(A, Script.value(room + 10, 1)))).isEqualTo(Reason.TOO_LARGE);
    assertThat(answer(machine.get(A, 0)).value()).contains(largest);
    assertThat(machine.header().revision()).isEqualTo(4);
    assertThat(machine.header().appliedIndex()).isEqualTo(log.size());

    List<String> before = dump();
    crashAndReplay();
    assertThat(dump()).isEqualTo(before);
  }

  private static byte[] rawDelete(String from, String to) {
    DeleteRange.Builder delete =
        DeleteRange.newBuilder()
            .setKey(ByteString.copyFromUtf8(from))
            .setRangeEnd(ByteString.copyFromUtf8(to));
    return Command.newBuilder().setDeleteRange(delete).build().toByteArray();
  }

  private static Bytes tooLongEnd() {
    byte[] end = new byte[StoreLimits.KEY_BYTES_MAX + 2];
    end[0] = 'b';
    return Bytes.wrapUnsafe(end);
  }

  /** FAULTS F142: refused before it changes anything, not applied and then unreportable. */
  @Test
  void deletesThatAreTooLargeAreRejectedWhole() {
    int most = StoreLimits.CHANGES_MAX;
    for (int i = 0; i < most + 1; i++) {
      put(Bytes.utf8(String.format("k%06d", i)), Bytes.EMPTY);
    }
    long revision = machine.header().revision();
    assertThat(reason(delete(KeyRange.all()))).isEqualTo(Reason.TOO_LARGE);
    assertThat(machine.header().revision()).isEqualTo(revision);
    RangeOptions count = RangeOptions.DEFAULT.withCountOnly();
    assertThat(range(KeyRange.all(), count).count()).isEqualTo(most + 1);

    ApplyResult.DeleteApplied all =
        (ApplyResult.DeleteApplied) delete(KeyRange.from(Bytes.utf8("k000001")));
    assertThat(all.result().deleted()).isEqualTo(most);
    assertThat(range(KeyRange.all(), count).count()).isEqualTo(1);
    assertThat(range(KeyRange.all(), count.withRevision(revision)).count()).isEqualTo(most + 1);
    // The last sub-number is 65535, which is negative as a short.
    Bytes last = Bytes.utf8(String.format("k%06d", most));
    assertThat(answer(machine.get(last, 0)).keyValue()).isEmpty();
    put(last, A);
    assertThat(answer(machine.get(last, revision + 1)).keyValue()).isEmpty();
    assertThat(answer(machine.get(last, revision)).keyValue()).isPresent();
  }

  @Test
  void deletesThatGiveBackTooMuchAreRejectedWholeButOneKeyNever() {
    Bytes large = Script.value(StoreLimits.COMMAND_BYTES_MAX - 100, 1);
    put(A, large);
    put(B, Script.value(200, 1));
    byte[] both = Commands.deleteRange(KeyRange.all(), DeleteOptions.DEFAULT.withPrevious(), 5);
    assertThat(reason(apply(both))).isEqualTo(Reason.TOO_LARGE);
    assertThat(range(KeyRange.all(), RangeOptions.DEFAULT).count()).isEqualTo(2);
    byte[] one = Commands.deleteRange(KeyRange.prefix(A), DeleteOptions.DEFAULT.withPrevious(), 5);
    ApplyResult.DeleteApplied deleted = (ApplyResult.DeleteApplied) apply(one);
    assertThat(deleted.result().previous().get(0).value()).isEqualTo(large);
  }

  static Stream<Function<Integer, Entry>> unknownEntries() {
    UnknownFieldSet unknown =
        UnknownFieldSet.newBuilder()
            .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();
    Put put = Put.newBuilder().setKey(ByteString.copyFromUtf8("b")).build();
    List<Command> commands =
        List.of(
            Command.getDefaultInstance(),
            Command.newBuilder().setUnknownFields(unknown).build(),
            Command.newBuilder().setPut(put).setUnknownFields(unknown).build(),
            Command.newBuilder().setPut(put.toBuilder().setUnknownFields(unknown)).build(),
            Command.newBuilder()
                .setDeleteRange(
                    DeleteRange.newBuilder().setKey(put.getKey()).setUnknownFields(unknown))
                .build());
    Stream<Function<Integer, Entry>> others =
        Stream.of(index -> new Entry(index, 1, EntryType.COMMAND, new byte[] {(byte) 0xff, 3, 1}));
    return Stream.concat(
        commands.stream()
            .map(command -> index -> new Entry(index, 1, EntryType.COMMAND, command.toByteArray())),
        others);
  }

  @Test
  void aMembershipAppliesNothingAndTakesItsPlace() {
    put(A, A);
    long revision = machine.header().revision();
    Entry entry = new Entry(2, 1, EntryType.MEMBERSHIP, new byte[] {1, 0});
    assertThat(machine.apply(List.of(entry)))
        .singleElement()
        .isInstanceOf(ApplyResult.NothingApplied.class);
    assertThat(machine.header().revision()).isEqualTo(revision);
    machine.apply(
        List.of(new Entry(3, 1, EntryType.COMMAND, Commands.put(A, B, PutOptions.DEFAULT, 5))));
    assertThat(machine.header().revision()).isEqualTo(revision + 1);
  }

  /** FAULTS F024: never skipped, and nothing after it is applied or made durable. */
  @ParameterizedTest
  @MethodSource("unknownEntries")
  void anUnknownCommandStopsTheStore(Function<Integer, Entry> unknown) {
    put(A, A);
    machine.flush();
    Entry fine = new Entry(2, 1, EntryType.COMMAND, Commands.put(A, B, PutOptions.DEFAULT, 5));
    assertThatThrownBy(() -> machine.apply(List.of(fine, unknown.apply(3))))
        .isInstanceOf(UnknownCommandException.class)
        .hasMessageContaining("3@1");
    assertThatThrownBy(() -> machine.apply(List.of(fine)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> machine.get(A, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> machine.flush()).isInstanceOf(IllegalStateException.class);
    machine.close();

    tables = tables.crash();
    machine = Homes.open(tables, StoreOptions.DEFAULT);
    assertThat(machine.restored()).isEqualTo(new EntryId(1, 1));
    assertThat(answer(machine.get(A, 0)).value()).contains(A);
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "3, 2", "2, 1"})
  void entriesFollowOneAnother(long index, long term) {
    machine.apply(List.of(Entry.noOp(1, 2)));
    assertThatThrownBy(() -> machine.apply(List.of(Entry.noOp(index, term))))
        .isInstanceOf(InvariantViolation.class);
  }

  /** FAULTS F141. */
  @Test
  void anInterruptDoesNotReachApply() {
    Thread.currentThread().interrupt();
    put(A, B);
    assertThat(answer(machine.get(A, 0)).value()).contains(B);
    assertThat(keys(range(KeyRange.all(), RangeOptions.DEFAULT))).containsExactly(A);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aPreparedScanIsBoundToItsMomentAndRunsAnywhere() throws Exception {
    put(A, A);
    RangeScan scan = machine.prepareRange(KeyRange.all(), RangeOptions.DEFAULT);
    put(A, B);
    put(B, B);
    delete(KeyRange.all());
    machine.flush();
    ReadOutcome<RangeResult> outcome =
        CompletableFuture.supplyAsync(scan::run).get(10, TimeUnit.SECONDS);
    assertThat(answer(outcome).keyValues()).containsExactly(new KeyValue(A, A, 2, 2, 1, 0));
    assertThat(answer(outcome).header().revision()).isEqualTo(2);
    scan.close();
    scan.close();
    assertThatThrownBy(scan::run).isInstanceOf(IllegalStateException.class);
    machine.close();
  }

  @Test
  void aScanMeetsTheCloseOfTheStoreAsAnException() throws Exception {
    put(A, A);
    RangeScan scan = machine.prepareRange(KeyRange.all(), RangeOptions.DEFAULT);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(machine::close);
    boolean refused = false;
    while (!refused) {
      try {
        scan.run();
      } catch (IllegalStateException closed) {
        refused = true;
      }
    }
    assertThat(closing).isNotDone();
    scan.close();
    closing.get(10, TimeUnit.SECONDS);
  }

  /** A key that is written for ever keeps one row dirty; still its log can be cut. */
  @Test
  void theFlushedIndexFollowsEvenWhenOneKeyChangesForEver() {
    MemoryTables flushing = new MemoryTables(1);
    machine = Homes.open(flushing, StoreOptions.DEFAULT.withOverlay(1000, 20_000));
    for (int i = 0; i < 100; i++) {
      put(A, Script.value(1000, i));
    }
    assertThat(machine.flushedIndex()).isBetween(80L, 100L);
  }

  @Test
  void anotherFormatIsRefused() {
    byte[] row = StoreState.INITIAL.encode(StateHash.ZERO);
    row[1] = 7;
    assertThatThrownBy(() -> openWith(Table.META, StoreState.rowKey(), row))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("format 7");
  }

  @Test
  void keysWithoutAStateAreRefused() {
    byte[] row = LatestRow.deleted(3, 0).encode();
    assertThatThrownBy(() -> openWith(Table.LATEST, new byte[] {1}, row))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not say");
  }

  private static void openWith(Table table, byte[] key, byte[] value) {
    MemoryTables tables = new MemoryTables();
    TableBatch batch = tables.batch();
    batch.put(table, key, value);
    tables.write(batch);
    try {
      Homes.open(tables, StoreOptions.DEFAULT);
    } finally {
      assertThatThrownBy(tables::snapshot).isInstanceOf(IllegalStateException.class);
    }
  }

  private List<String> dump() {
    machine.flush();
    return Dump.of(tables);
  }
}
