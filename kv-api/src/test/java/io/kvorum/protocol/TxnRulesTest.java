package io.kvorum.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.Txn;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class TxnRulesTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");

  private static Reason reason(Txn txn) {
    KvException.Rejected refused = TxnRules.refuse(txn);
    assertThat(refused).as("it should be refused").isNotNull();
    assertThat(refused).hasMessageContaining("nothing was changed");
    return refused.reason();
  }

  private static void accepted(Txn txn) {
    assertThat(TxnRules.refuse(txn)).isNull();
  }

  private static Op inner(Op... ops) {
    return Op.txn(Txn.of(ops));
  }

  private static Txn gets(int compares, int success, int failure) {
    return new Txn(
        Collections.nCopies(compares, Compare.version(A).isEqualTo(0)),
        Collections.nCopies(success, Op.get(A)),
        Collections.nCopies(failure, Op.get(A)));
  }

  @Test
  void eachListHasAtMost128() {
    accepted(gets(128, 128, 128));
    assertThat(reason(gets(129, 0, 0))).isEqualTo(Reason.TOO_MANY_OPERATIONS);
    assertThat(reason(gets(0, 129, 0))).isEqualTo(Reason.TOO_MANY_OPERATIONS);
    assertThat(reason(gets(0, 0, 129))).isEqualTo(Reason.TOO_MANY_OPERATIONS);
  }

  @Test
  void anInnerTransactionGetsWhatTheLongestListLeaves() {
    accepted(gets(100, 1, 0).then(Op.txn(gets(28, 0, 28))));
    assertThat(reason(gets(100, 1, 0).then(Op.txn(gets(29, 0, 0)))))
        .isEqualTo(Reason.TOO_MANY_OPERATIONS);
    assertThat(reason(gets(0, 0, 127).otherwise(Op.txn(gets(1, 0, 0)))))
        .isEqualTo(Reason.TOO_MANY_OPERATIONS);
  }

  @Test
  void aMillionOperationsAreRefusedAsTooMany() {
    assertThat(TxnRules.refuse(gets(0, 1_000_000, 0)))
        .hasMessageContaining("too many operations")
        .hasMessageContaining("1000000")
        .hasMessageContaining("128");
  }

  @Test
  void nestingHasALimitAndNothingOverflows() {
    Txn deep = Txn.of(Op.get(A));
    for (int depth = 1; depth < TxnRules.DEPTH_MAX; depth++) {
      deep = Txn.of(Op.txn(deep));
    }
    accepted(deep);
    Txn tooDeep = Txn.of(Op.txn(deep));
    assertThat(reason(tooDeep)).isEqualTo(Reason.TOO_MANY_OPERATIONS);
    for (int depth = 0; depth < 100_000; depth++) {
      tooDeep = new Txn(List.of(), List.of(new Op.Nested(tooDeep)), List.of());
    }
    assertThat(reason(tooDeep)).isEqualTo(Reason.TOO_MANY_OPERATIONS);
  }

  /** FAULTS F136. */
  @Test
  void aKeyMayBePutOnce() {
    assertThat(reason(Txn.of(Op.put(A, B), Op.put(A, A)))).isEqualTo(Reason.DUPLICATE_KEY);
    assertThat(reason(Txn.of(Op.add(A, 1), Op.append(A, A)))).isEqualTo(Reason.DUPLICATE_KEY);
    assertThat(reason(Txn.when().otherwise(Op.put(A, B), Op.put(A, A))))
        .isEqualTo(Reason.DUPLICATE_KEY);
    accepted(Txn.of(Op.put(A, B)).otherwise(Op.put(A, A)));
    accepted(Txn.of(Op.put(A, B), Op.put(B, A)));
  }

  /** FAULTS F136. */
  @Test
  void aKeyMayNotBePutAndDeleted() {
    assertThat(reason(Txn.of(Op.put(A, B), Op.delete(A)))).isEqualTo(Reason.DUPLICATE_KEY);
    assertThat(reason(Txn.of(Op.deleteRange(KeyRange.all()), Op.put(A, B))))
        .isEqualTo(Reason.DUPLICATE_KEY);
    accepted(Txn.of(Op.put(A, B), Op.deleteRange(KeyRange.from(B))));
    accepted(Txn.of(Op.put(B, B), Op.deleteRange(KeyRange.of(A, B))));
    accepted(Txn.of(Op.delete(A), Op.deleteRange(KeyRange.all())));
  }

  /** FAULTS F136: also in the two orders of siblings, of which etcd sees one. */
  @Test
  void innerTransactionsCountAsTheirOuterOne() {
    assertThat(reason(Txn.of(inner(Op.put(A, B)), Op.put(A, A)))).isEqualTo(Reason.DUPLICATE_KEY);
    assertThat(reason(Txn.of(inner(Op.put(A, B)), inner(Op.put(A, A)))))
        .isEqualTo(Reason.DUPLICATE_KEY);
    assertThat(reason(Txn.of(inner(Op.put(A, B)), inner(Op.delete(A)))))
        .isEqualTo(Reason.DUPLICATE_KEY);
    assertThat(reason(Txn.of(inner(Op.delete(A)), inner(Op.put(A, B)))))
        .isEqualTo(Reason.DUPLICATE_KEY);
    assertThat(reason(Txn.of(Op.put(A, B), inner(inner(Op.deleteRange(KeyRange.prefix(A)))))))
        .isEqualTo(Reason.DUPLICATE_KEY);
    Op either = Op.txn(Txn.of(Op.put(A, B)).otherwise(Op.put(A, A), Op.delete(B)));
    accepted(Txn.of(either));
    assertThat(reason(Txn.of(either, Op.put(B, A)))).isEqualTo(Reason.DUPLICATE_KEY);
  }

  @Test
  void keysHaveALimit() {
    Bytes longest = Bytes.wrapUnsafe(new byte[ProtocolLimits.KEY_BYTES_MAX]);
    Bytes longer = Bytes.wrapUnsafe(new byte[ProtocolLimits.KEY_BYTES_MAX + 1]);
    accepted(Txn.when(Compare.version(longest).isEqualTo(0)).then(Op.delete(longest)));
    for (Txn txn :
        List.of(
            Txn.when(Compare.version(longer).isEqualTo(0)),
            Txn.of(Op.put(longer, A)),
            Txn.of(Op.get(longer)),
            Txn.of(Op.delete(longer)),
            Txn.of(Op.add(longer, 1)),
            Txn.of(inner(Op.append(longer, A))))) {
      assertThat(reason(txn)).isEqualTo(Reason.TOO_LARGE);
    }
  }

  @Test
  void whatIsKeptIsNotGiven() {
    assertThat(reason(Txn.of(Op.put(A, B, PutOptions.DEFAULT.withKeepValue()))))
        .isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(reason(Txn.of(Op.put(A, B, PutOptions.DEFAULT.withKeepLease().withLease(1)))))
        .isEqualTo(Reason.INVALID_ARGUMENT);
  }

  @Test
  void readsHaveNoLimitsOrRevisionsBelowZeroAndNoConsistencyOfTheirOwn() {
    for (RangeOptions how :
        List.of(
            RangeOptions.DEFAULT.withLimit(-1),
            RangeOptions.DEFAULT.withRevision(-1),
            RangeOptions.DEFAULT.withConsistency(ReadConsistency.LEASE))) {
      assertThat(reason(Txn.of(Op.range(KeyRange.all(), how)))).isEqualTo(Reason.INVALID_ARGUMENT);
    }
  }
}
