package io.kvorum.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of {@link Linearizability}. */
class LinearizabilityTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final ClientOperation GET_A = new ClientOperation.Get(A);
  private static final ClientOperation ALL = new ClientOperation.Range(KeyRange.all());
  private static final ClientOperation DELETE_ALL = new ClientOperation.DeleteRange(KeyRange.all());

  private static ClientOperation put(Bytes key, String value) {
    return new ClientOperation.Put(key, Bytes.utf8(value));
  }

  private static KeyValue held(Bytes key, String value, long created, long changed, long version) {
    return new KeyValue(key, Bytes.utf8(value), created, changed, version, 0);
  }

  private static ClientOutcome done(long revision, KeyValue... found) {
    return new ClientOutcome.Done(revision, 0, List.of(found));
  }

  private static ClientOutcome deleted(long revision, long count) {
    return new ClientOutcome.Done(revision, count, List.of());
  }

  private static Events twoPuts() {
    return new Events()
        .called(1, 1, put(A, "x"))
        .returned(1, 1, done(2))
        .called(1, 2, put(B, "y"))
        .returned(1, 2, done(3));
  }

  private static ClientOutcome decided(long revision, boolean succeeded, KeyValue... found) {
    return new ClientOutcome.Done(revision, 0, List.of(found), succeeded);
  }

  /** Swaps both if a is still at revision 2; reads b otherwise. */
  private static final ClientOperation SWAP =
      new ClientOperation.Transaction(
          Txn.when(Compare.modRevision(A).isEqualTo(2))
              .then(Op.put(A, Bytes.utf8("y")), Op.put(B, Bytes.utf8("x")), Op.get(A))
              .otherwise(Op.get(B)));

  @Test
  void aTransactionTakesEffectAtOneInstant() {
    twoPuts()
        .called(1, 3, SWAP)
        .returned(1, 3, decided(4, true, held(A, "y", 2, 4, 2)))
        .called(2, 4, SWAP)
        .returned(2, 4, decided(4, false, held(B, "x", 3, 4, 2)))
        .called(2, 5, ALL)
        .returned(2, 5, done(4, held(A, "y", 2, 4, 2), held(B, "x", 3, 4, 2)))
        .areFineFor(new Linearizability());
  }

  /** Changes beside, of which only the checker of leases knows, move the revisions compared. */
  @Test
  void comparedRevisionsAreNotJudgedBesideChangesThatAreNotSeen() {
    twoPuts()
        .leaseUsed()
        .called(1, 3, SWAP)
        .returned(1, 3, decided(5, true, held(A, "y", 2, 5, 2)))
        .areFineFor(new Linearizability());
  }

  @Test
  void halfATransactionIsFound() {
    twoPuts()
        .called(1, 3, SWAP)
        .returned(1, 3, decided(4, true, held(A, "y", 2, 4, 2)))
        .called(2, 5, ALL)
        .returned(2, 5, done(4, held(A, "y", 2, 4, 2), held(B, "y", 3, 3, 1)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }

  @Test
  void aTransactionThatTookTheWrongBranchIsFound() {
    twoPuts()
        .called(1, 3, SWAP)
        .returned(1, 3, decided(3, false, held(B, "y", 3, 3, 1)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }

  @Test
  void whatATransactionReadIsJudged() {
    twoPuts()
        .called(1, 3, SWAP)
        .returned(1, 3, decided(4, true, held(A, "x", 2, 2, 1)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }

  /** Of one that nobody heard of, somebody has read what it wrote: it happened, and as a whole. */
  @Test
  void aTransactionOfUnknownOutcomeIsAllOrNothing() {
    twoPuts()
        .called(1, 3, SWAP)
        .returned(1, 3, new ClientOutcome.Unknown("lost"))
        .called(2, 4, new ClientOperation.Get(B))
        .returned(2, 4, done(4, held(B, "x", 3, 4, 2)))
        .called(2, 5, GET_A)
        .returned(2, 5, done(4, held(A, "x", 2, 2, 1)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }

  @Test
  void aHistoryInOrderIsFine() {
    twoPuts()
        .called(2, 3, GET_A)
        .called(1, 4, put(A, "z"))
        .returned(1, 4, done(4))
        .returned(2, 3, done(3, held(A, "x", 2, 2, 1)))
        .called(2, 5, ALL)
        .returned(2, 5, done(4, held(A, "z", 2, 4, 2), held(B, "y", 3, 3, 1)))
        .called(2, 6, DELETE_ALL)
        .returned(2, 6, deleted(5, 2))
        .called(2, 7, DELETE_ALL)
        .returned(2, 7, deleted(5, 0))
        .called(2, 8, new ClientOperation.Delete(A))
        .returned(2, 8, deleted(5, 0))
        .called(2, 9, GET_A)
        .returned(2, 9, done(5))
        .areFineFor(new Linearizability());
  }

  /** What is read then says nothing of the put whose outcome is unknown. */
  @Test
  void aValueMayBePutTwice() {
    new Events()
        .called(1, 1, put(A, "x"))
        .returned(1, 1, new ClientOutcome.Unknown("timed out"))
        .called(2, 2, put(A, "x"))
        .returned(2, 2, done(2))
        .called(2, 3, GET_A)
        .returned(2, 3, done(2, held(A, "x", 2, 2, 1)))
        .areFineFor(new Linearizability());
  }

  @Test
  void aStaleReadIsNot() {
    Linearizability checker = new Linearizability();
    twoPuts()
        .called(1, 3, put(A, "z"))
        .returned(1, 3, done(4))
        .called(2, 4, GET_A)
        .returned(2, 4, done(3, held(A, "x", 2, 2, 1)))
        .areIncompleteFor(checker, "not linearizable", "get a");
    assertThat(checker.verdict()).isNotNull();
    assertThat(checker.verdict().html()).contains("<svg");
  }

  @Test
  void norIsTheRightValueAtAWrongRevision() {
    twoPuts()
        .called(2, 4, GET_A)
        .returned(2, 4, done(2, held(A, "x", 2, 2, 1)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
    twoPuts()
        .called(2, 4, GET_A)
        .returned(2, 4, done(3, held(A, "x", 3, 3, 1)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
    twoPuts()
        .called(2, 4, GET_A)
        .returned(2, 4, done(3, held(A, "x", 2, 2, 2)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }

  @Test
  void norIsARangeThatMissesAKey() {
    twoPuts()
        .called(2, 4, ALL)
        .returned(2, 4, done(3, held(B, "y", 3, 3, 1)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }

  @Test
  void norIsARangeWithAKeyThatNobodyPut() {
    twoPuts()
        .called(2, 4, ALL)
        .returned(2, 4, done(3, held(Bytes.utf8("c"), "y", 3, 3, 1)))
        .areIncompleteFor(new Linearizability(), "did not ask for");
  }

  @Test
  void norIsADeleteThatFindsNothingWhereSomethingIs() {
    twoPuts()
        .called(2, 4, DELETE_ALL)
        .returned(2, 4, deleted(3, 0))
        .areIncompleteFor(new Linearizability(), "not linearizable");
    twoPuts()
        .called(2, 4, new ClientOperation.Delete(A))
        .returned(2, 4, deleted(3, 0))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }

  @Test
  void aWriteOfUnknownOutcomeMayShowOrNot() {
    Events unknown =
        twoPuts()
            .called(1, 3, put(A, "z"))
            .returned(1, 3, new ClientOutcome.Unknown("timeout"))
            .called(2, 4, GET_A)
            .returned(2, 4, done(3, held(A, "x", 2, 2, 1)));
    unknown.areFineFor(new Linearizability());
    unknown
        .called(2, 5, GET_A)
        .returned(2, 5, done(4, held(A, "z", 2, 4, 2)))
        .areFineFor(new Linearizability());
    unknown
        .called(2, 6, GET_A)
        .returned(2, 6, done(4, held(A, "x", 2, 2, 1)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }

  @Test
  void aWriteThatWasSaidToHaveFailedMayNotShow() {
    twoPuts()
        .called(1, 3, put(A, "z"))
        .returned(1, 3, new ClientOutcome.Failed("not leader"))
        .called(2, 4, GET_A)
        .returned(2, 4, done(4, held(A, "z", 2, 4, 2)))
        .areIncompleteFor(new Linearizability(), "not linearizable");
  }
}
