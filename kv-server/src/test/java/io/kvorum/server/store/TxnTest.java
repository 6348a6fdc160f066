package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.Compare.Relation;
import io.kvorum.api.Compare.Target;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Operation;
import io.kvorum.server.store.protocol.Put;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of transactions, one by one, as etcd has them. */
class TxnTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final Bytes C = Bytes.utf8("c");
  private static final Bytes ONE = Bytes.utf8("1");
  private static final Bytes TWO = Bytes.utf8("2");

  private final MemoryTables tables = new MemoryTables();
  private final KvStateMachine machine = Homes.open(tables, StoreOptions.DEFAULT);
  private final List<Entry> log = new ArrayList<>();

  @AfterEach
  void close() {
    machine.close();
  }

  private ApplyResult apply(byte[]... commands) {
    int from = log.size();
    for (byte[] command : commands) {
      log.add(new Entry(log.size() + 1L, 1, EntryType.COMMAND, command));
    }
    List<ApplyResult> results = machine.apply(log.subList(from, log.size()));
    return results.get(results.size() - 1);
  }

  private TxnResult txn(Txn txn) {
    ApplyResult result = apply(Commands.txn(txn, 5));
    assertThat(result).isInstanceOf(ApplyResult.TxnApplied.class);
    return ((ApplyResult.TxnApplied) result).result();
  }

  /** Asserts as well that nothing has changed. */
  private Refusal refused(byte[] command) {
    List<KeyValue> before = everything();
    long revision = machine.header().revision();
    ApplyResult result = apply(command);
    assertThat(result).isInstanceOf(ApplyResult.Rejected.class);
    assertThat(result.header().revision()).isEqualTo(revision);
    assertThat(everything().equals(before)).as("nothing has changed").isTrue();
    assertThat(tables.get(Table.REV, RevRow.key(revision + 1, 0))).isNull();
    return ((ApplyResult.Rejected) result).refusal();
  }

  private List<KeyValue> everything() {
    var all =
        (ReadOutcome.Answered<RangeResult>) machine.range(KeyRange.all(), RangeOptions.DEFAULT);
    return all.result().keyValues();
  }

  private Refusal refused(Txn txn) {
    return refused(Commands.txn(txn, 5));
  }

  private Optional<KeyValue> held(Bytes key) {
    return ((ReadOutcome.Answered<GetResult>) machine.get(key, 0)).result().keyValue();
  }

  private static Bytes counter(long value) {
    return Bytes.wrapUnsafe(ByteBuffer.allocate(8).putLong(value).array());
  }

  @Test
  void allChangesOfATransactionShareOneRevision() {
    TxnResult result = txn(Txn.of(Op.put(A, ONE), Op.txn(Txn.of(Op.put(B, ONE))), Op.put(C, ONE)));
    assertThat(result.header().revision()).isEqualTo(2);
    assertThat(List.of(A, B, C))
        .allSatisfy(key -> assertThat(held(key).orElseThrow().modRevision()).isEqualTo(2));
  }

  @Test
  void changesAreNumberedInOrderOfExecution() {
    txn(Txn.of(Op.put(C, ONE), Op.txn(Txn.of(Op.put(A, ONE))), Op.put(B, ONE)));
    List<Bytes> inOrder = new ArrayList<>();
    for (int sub = 0; sub < 3; sub++) {
      byte[] row = tables.get(Table.REV, RevRow.key(2, sub));
      inOrder.add(new RevRow(2, row).key());
    }
    assertThat(inOrder).containsExactly(C, A, B);
    assertThat(tables.get(Table.REV, RevRow.key(2, 3))).isNull();
  }

  @Test
  void aTransactionThatChangesNothingMakesNoRevision() {
    txn(Txn.of(Op.put(A, ONE)));
    TxnResult nothing = txn(Txn.of(Op.get(A), Op.delete(B)));
    assertThat(nothing.header().revision()).isEqualTo(2);
    assertThat(nothing.results().get(1)).isEqualTo(new OpResult.DeleteRange(0, List.of()));
    // A put of the value that is there is a change.
    assertThat(txn(Txn.of(Op.put(A, ONE))).header().revision()).isEqualTo(3);
  }

  @Test
  void readsSeeTheWritesBeforeThemAndNotThoseBehind() {
    txn(Txn.of(Op.put(A, ONE), Op.put(C, ONE)));
    TxnResult result =
        txn(
            Txn.of(
                Op.range(KeyRange.all()),
                Op.delete(A),
                Op.put(B, TWO),
                Op.range(KeyRange.all()),
                Op.range(KeyRange.all(), RangeOptions.DEFAULT.withReverse()),
                Op.get(A),
                Op.txn(Txn.of(Op.get(B)))));
    assertThat(keys(result.results().get(0))).containsExactly(A, C);
    assertThat(keys(result.results().get(3))).containsExactly(B, C);
    assertThat(keys(result.results().get(4))).containsExactly(C, B);
    assertThat(keys(result.results().get(5))).isEmpty();
    OpResult.Nested nested = (OpResult.Nested) result.results().get(6);
    KeyValue seen = ((OpResult.Range) nested.results().get(0)).keyValue().orElseThrow();
    assertThat(seen).isEqualTo(new KeyValue(B, TWO, 3, 3, 1, 0));
  }

  private static List<Bytes> keys(OpResult result) {
    return ((OpResult.Range) result).keyValues().stream().map(KeyValue::key).toList();
  }

  @Test
  void aReadOfThePastDoesNotSeeTheTransaction() {
    txn(Txn.of(Op.put(A, ONE)));
    TxnResult result =
        txn(Txn.of(Op.put(A, TWO), Op.get(A, GetOptions.DEFAULT.withRevision(2)), Op.get(A)));
    assertThat(value(result.results().get(1))).isEqualTo(ONE);
    assertThat(value(result.results().get(2))).isEqualTo(TWO);
  }

  /** Its way back begins at an event that no table holds yet. */
  @Test
  void aReadOfThePastSeesWhatWasAppliedInTheSameBatch() {
    ApplyResult result =
        apply(
            Commands.put(A, ONE, PutOptions.DEFAULT, 1),
            Commands.put(A, TWO, PutOptions.DEFAULT, 2),
            Commands.txn(Txn.of(Op.put(B, ONE), Op.get(A, GetOptions.DEFAULT.withRevision(2))), 3));
    assertThat(value(((ApplyResult.TxnApplied) result).result().results().get(1))).isEqualTo(ONE);
  }

  private static Bytes value(OpResult result) {
    return ((OpResult.Range) result).keyValue().orElseThrow().value();
  }

  @Test
  void aRevisionThatCannotBeReadRefusesTheWholeTransaction() {
    txn(Txn.of(Op.put(A, ONE)));
    GetOptions future = GetOptions.DEFAULT.withRevision(3);
    assertThat(refused(Txn.of(Op.put(B, ONE), Op.get(A, future))).reason())
        .isEqualTo(Reason.REVISION_IN_FUTURE);
    assertThat(held(B)).isEmpty();
  }

  @Test
  void comparisonsOfInnerTransactionsLookAtTheStateBeforeTheWholeOne() {
    Txn inner =
        Txn.when(Compare.version(A).isEqualTo(0)).then(Op.put(B, ONE)).otherwise(Op.put(B, TWO));
    TxnResult result = txn(Txn.of(Op.put(A, ONE), Op.txn(inner)));
    assertThat(((OpResult.Nested) result.results().get(1)).succeeded()).isTrue();
    assertThat(held(B).orElseThrow().value()).isEqualTo(ONE);
  }

  @Test
  void allComparisonsMustHoldAndNoneIsSuccess() {
    Compare yes = Compare.version(A).isEqualTo(0);
    Compare no = Compare.version(A).isEqualTo(1);
    assertThat(txn(Txn.when()).succeeded()).isTrue();
    assertThat(txn(Txn.when(yes, yes)).succeeded()).isTrue();
    assertThat(txn(Txn.when(yes, no)).succeeded()).isFalse();
    assertThat(txn(Txn.when(no, yes).otherwise(Op.put(B, TWO))).results())
        .containsExactly(new OpResult.Put(Optional.empty()));
  }

  /** FAULTS F140. */
  @ParameterizedTest
  @CsvSource({
    "EQUAL, 0, true", "EQUAL, 1, false", "NOT_EQUAL, 0, false", "NOT_EQUAL, 1, true",
    "LESS, 0, false", "LESS, 1, true", "GREATER, 0, false", "GREATER, -1, true",
  })
  void whatDoesNotExistComparesAsZero(Relation relation, long number, boolean holds) {
    txn(Txn.of(Op.put(B, ONE)));
    txn(Txn.of(Op.delete(B)));
    for (KeyRange missing :
        List.of(KeyRange.single(A), KeyRange.single(B), KeyRange.prefix(A), KeyRange.all())) {
      for (Target target :
          List.of(Target.VERSION, Target.CREATE_REVISION, Target.MOD_REVISION, Target.LEASE)) {
        Compare compare = new Compare(missing, target, relation, number, Bytes.EMPTY);
        assertThat(txn(Txn.when(compare)).succeeded()).as("%s", compare).isEqualTo(holds);
      }
    }
  }

  /** FAULTS F140. */
  @Test
  void noComparisonOfTheValueOfAMissingKeyHolds() {
    for (Relation relation : Relation.values()) {
      Compare one = Compare.value(A).is(relation, Bytes.EMPTY);
      Compare range = Compare.value(KeyRange.prefix(A)).is(relation, ONE);
      assertThat(txn(Txn.when(one)).succeeded()).as("%s", relation).isFalse();
      assertThat(txn(Txn.when(range)).succeeded()).as("%s", relation).isFalse();
    }
  }

  /** FAULTS F140. */
  @Test
  void aComparisonOfARangeMustHoldForEachKey() {
    txn(Txn.of(Op.put(A, ONE), Op.put(B, ONE)));
    txn(Txn.of(Op.put(B, TWO)));
    assertThat(txn(Txn.when(Compare.createRevision(KeyRange.all()).isEqualTo(2))).succeeded())
        .isTrue();
    assertThat(txn(Txn.when(Compare.modRevision(KeyRange.all()).isEqualTo(2))).succeeded())
        .isFalse();
    assertThat(txn(Txn.when(Compare.value(KeyRange.all()).isLessThan(TWO))).succeeded()).isFalse();
    assertThat(txn(Txn.when(Compare.value(KeyRange.single(A)).isLessThan(TWO))).succeeded())
        .isTrue();
    // The deleted one does not count.
    txn(Txn.of(Op.delete(B)));
    assertThat(txn(Txn.when(Compare.modRevision(KeyRange.all()).isEqualTo(2))).succeeded())
        .isTrue();
  }

  @Test
  void valuesCompareAsUnsignedBytes() {
    txn(Txn.of(Op.put(A, Bytes.copyOf(new byte[] {(byte) 0x80}))));
    Bytes small = Bytes.copyOf(new byte[] {0x7f});
    assertThat(txn(Txn.when(Compare.value(A).isGreaterThan(small))).succeeded()).isTrue();
  }

  /** FAULTS F136: apply decides it again, by itself. */
  @Test
  void aKeyThatIsWrittenTwiceIsRefusedByApply() {
    txn(Txn.of(Op.put(A, ONE)));
    assertThat(refused(Txn.of(Op.put(A, TWO), Op.put(A, TWO))).message())
        .contains("duplicate key")
        .contains("nothing was changed");
    Txn inner = Txn.when().otherwise(Op.put(A, TWO));
    assertThat(refused(Txn.of(Op.deleteRange(KeyRange.all()), Op.txn(inner))).reason())
        .isEqualTo(Reason.DUPLICATE_KEY);
  }

  @Test
  void deletesMayOverlapAndTheSecondFindsNothing() {
    txn(Txn.of(Op.put(A, ONE), Op.put(B, ONE)));
    TxnResult result =
        txn(Txn.of(Op.delete(A), Op.deleteRange(KeyRange.all(), new DeleteOptions(true))));
    assertThat(result.results().get(0)).isEqualTo(new OpResult.DeleteRange(1, List.of()));
    OpResult.DeleteRange second = (OpResult.DeleteRange) result.results().get(1);
    assertThat(second.previous()).extracting(KeyValue::key).containsExactly(B);
  }

  @Test
  void tooManyOperationsAreRefusedByApply() {
    Op[] most = new Op[128];
    for (int i = 0; i < most.length; i++) {
      most[i] = Op.put(Bytes.utf8("k" + i), ONE);
    }
    assertThat(refused(Txn.of(most).then(Op.get(A))).reason())
        .isEqualTo(Reason.TOO_MANY_OPERATIONS);
    assertThat(txn(Txn.of(most)).results()).hasSize(128);
  }

  @Test
  void aKeptValueOrLeaseNeedsItsKey() {
    PutOptions keep = PutOptions.DEFAULT.withKeepValue();
    assertThat(refused(Txn.of(Op.put(B, ONE), Op.put(A, Bytes.EMPTY, keep))).reason())
        .isEqualTo(Reason.KEY_NOT_FOUND);
    assertThat(refused(Commands.put(A, ONE, PutOptions.DEFAULT.withKeepLease(), 5)).reason())
        .isEqualTo(Reason.KEY_NOT_FOUND);
    txn(Txn.of(Op.put(A, ONE)));
    apply(Commands.put(A, Bytes.EMPTY, keep, 5));
    assertThat(held(A)).contains(new KeyValue(A, ONE, 2, 3, 2, 0));
    assertThat(refused(Commands.put(A, TWO, keep, 5)).reason()).isEqualTo(Reason.INVALID_ARGUMENT);
  }

  @Test
  void aLeaseThatNobodyGrantedIsRefused() {
    assertThat(refused(Txn.of(Op.put(A, ONE, PutOptions.DEFAULT.withLease(7)))))
        .isEqualTo(
            new Refusal(
                Reason.LEASE_NOT_FOUND,
                "requested lease not found: 0000000000000007; nothing was changed"));
  }

  @Test
  void aCounterStartsAtZeroAndGoesBothWays() {
    assertThat(txn(Txn.of(Op.add(A, 5))).results()).containsExactly(new OpResult.Add(5));
    assertThat(txn(Txn.of(Op.add(A, -7))).results()).containsExactly(new OpResult.Add(-2));
    assertThat(held(A)).contains(new KeyValue(A, counter(-2), 2, 3, 2, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "9223372036854775807, 1", "-9223372036854775808, -1",
    "1, 9223372036854775807", "-1, -9223372036854775808",
  })
  void anAdditionBeyond64BitsIsRefused(long held, long delta) {
    txn(Txn.of(Op.put(A, counter(held))));
    assertThat(refused(Txn.of(Op.put(B, ONE), Op.add(A, delta))).reason())
        .isEqualTo(Reason.COUNTER_OVERFLOW);
  }

  @Test
  void anAdditionToAnotherValueIsRefused() {
    txn(Txn.of(Op.put(A, Bytes.utf8("1234567"))));
    Refusal refusal = refused(Txn.of(Op.put(B, ONE), Op.add(A, 1)));
    assertThat(refusal.reason()).isEqualTo(Reason.NOT_A_COUNTER);
    assertThat(refusal.message()).contains("7 bytes");
  }

  @Test
  void anAppendGrowsTheValueUpToTheLimitOfAnEntry() {
    assertThat(txn(Txn.of(Op.append(A, ONE))).results()).containsExactly(new OpResult.Append(1));
    assertThat(txn(Txn.of(Op.append(A, TWO))).results()).containsExactly(new OpResult.Append(2));
    assertThat(held(A)).contains(new KeyValue(A, Bytes.utf8("12"), 2, 3, 2, 0));
    Bytes rest = Bytes.wrapUnsafe(new byte[StoreLimits.ENTRY_BYTES_MAX - A.size() - 2]);
    txn(Txn.of(Op.append(A, rest)));
    assertThat(refused(Txn.of(Op.put(B, ONE), Op.append(A, ONE))).reason())
        .isEqualTo(Reason.TOO_LARGE);
  }

  /** FAULTS F142: what could not be answered is not applied. */
  @Test
  void anAnswerThatIsTooLargeRefusesTheTransaction() {
    Bytes large = Bytes.wrapUnsafe(new byte[3 << 20]);
    txn(Txn.of(Op.put(A, large)));
    txn(Txn.of(Op.put(B, large)));
    assertThat(refused(Txn.of(Op.put(C, ONE), Op.get(A), Op.get(B))).reason())
        .isEqualTo(Reason.TOO_LARGE);
    assertThat(refused(Txn.of(Op.put(C, ONE), Op.range(KeyRange.all()))).reason())
        .isEqualTo(Reason.TOO_LARGE);
    DeleteOptions previous = DeleteOptions.DEFAULT.withPrevious();
    assertThat(refused(Txn.of(Op.get(A), Op.delete(B, previous))).reason())
        .isEqualTo(Reason.TOO_LARGE);
    assertThat(txn(Txn.of(Op.put(C, ONE), Op.get(A))).results()).hasSize(2);
    RangeOptions first = RangeOptions.DEFAULT.withLimit(1);
    assertThat(txn(Txn.of(Op.put(C, ONE), Op.range(KeyRange.all(), first))).results()).hasSize(2);
  }

  /** FAULTS F142: nothing else is applied while a transaction looks at keys. */
  @Test
  void aTransactionLooksAtABoundedNumberOfKeys() {
    byte[][] puts = new byte[StoreLimits.LOOKED_AT_MAX][];
    for (int i = 0; i < puts.length; i++) {
      puts[i] = Commands.put(Bytes.utf8("k" + i), Bytes.EMPTY, PutOptions.DEFAULT, 1);
    }
    apply(puts);
    Op count = Op.range(KeyRange.all(), RangeOptions.DEFAULT.withCountOnly());
    assertThat(txn(Txn.of(count, Op.put(Bytes.utf8("k0"), ONE))).results()).hasSize(2);
    assertThat(refused(Txn.of(count, Op.put(A, ONE), Op.get(B))).reason())
        .isEqualTo(Reason.TOO_LARGE);
    Compare all = Compare.version(KeyRange.all()).isGreaterThan(0);
    assertThat(refused(Txn.when(all, all).then(Op.put(A, ONE))).reason())
        .isEqualTo(Reason.TOO_LARGE);
    // One that only reads holds nobody up.
    try (TxnRead read = machine.prepareTxn(Txn.of(count, count))) {
      assertThat(read.run()).isInstanceOf(ReadOutcome.Answered.class);
    }
  }

  /** FAULTS F143: what a delete gives back is read before the put that replaces nothing of it. */
  @Test
  void whatWasHeldBeforeComesFromTheStateThatTheOperationFinds() {
    txn(Txn.of(Op.put(A, ONE)));
    PutOptions previous = PutOptions.DEFAULT.withPrevious();
    TxnResult result =
        txn(
            Txn.of(
                Op.put(A, TWO, previous),
                Op.put(B, TWO, previous),
                Op.deleteRange(KeyRange.from(C), new DeleteOptions(true))));
    assertThat(result.results())
        .containsExactly(
            new OpResult.Put(Optional.of(new KeyValue(A, ONE, 2, 2, 1, 0))),
            new OpResult.Put(Optional.empty()),
            new OpResult.DeleteRange(0, List.of()));
  }

  /** What no front proposes, apply refuses all the same; it stops at nothing but the unknown. */
  @Test
  void malformedOperationsInTheLogAreRefused() {
    Operation noKey =
        Operation.newBuilder().setPut(Put.newBuilder().setValue(ByteString.EMPTY)).build();
    assertThat(refused(command(noKey)).reason()).isEqualTo(Reason.INVALID_ARGUMENT);
    Operation.Builder deep = Operation.newBuilder().setPut(Put.newBuilder());
    for (int i = 0; i < 20; i++) {
      Operation inner = deep.build();
      deep =
          Operation.newBuilder()
              .setTxn(io.kvorum.server.store.protocol.Txn.newBuilder().addSuccess(inner));
    }
    assertThat(refused(command(deep.build())).reason()).isEqualTo(Reason.TOO_MANY_OPERATIONS);
  }

  private static byte[] command(Operation operation) {
    return Command.newBuilder()
        .setTxn(io.kvorum.server.store.protocol.Txn.newBuilder().addSuccess(operation))
        .build()
        .toByteArray();
  }
}
