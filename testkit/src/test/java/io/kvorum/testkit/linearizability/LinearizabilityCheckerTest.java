package io.kvorum.testkit.linearizability;

import static io.kvorum.testkit.linearizability.KvOutput.changed;
import static io.kvorum.testkit.linearizability.KvOutput.decided;
import static io.kvorum.testkit.linearizability.KvOutput.found;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.testkit.linearizability.KvInput.Append;
import io.kvorum.testkit.linearizability.KvInput.CompareAndSet;
import io.kvorum.testkit.linearizability.KvInput.Delete;
import io.kvorum.testkit.linearizability.KvInput.Get;
import io.kvorum.testkit.linearizability.KvInput.Put;
import io.kvorum.testkit.linearizability.KvInput.Txn;
import io.kvorum.testkit.linearizability.KvOutput.Seen;
import io.kvorum.testkit.linearizability.Verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories small enough to judge by eye. Times are written as call, return. */
class LinearizabilityCheckerTest {
  private static final KvOutput DONE = changed(0);

  private final History<KvInput, KvOutput> history = new History<>();

  private void op(String process, KvInput input, KvOutput output, long called, long returned) {
    history.returned(history.call(process, input, called), output, returned);
  }

  private void unknown(String process, KvInput input, long called) {
    history.unknown(history.call(process, input, called));
  }

  private static KvOutput value(String value) {
    return found(0, Seen.value(value));
  }

  private static KvOutput absent() {
    return found(0, Seen.ABSENT);
  }

  private Verdict check(KvModel model) {
    return LinearizabilityChecker.of(model).check(history);
  }

  private void isLinearizable() {
    assertThat(check(KvModel.alone()).text()).startsWith("linearizable");
    assertThat(check(KvModel.amongOthers()).text()).startsWith("linearizable");
  }

  private void isViolatedBy(String stuck) {
    for (KvModel model : List.of(KvModel.alone(), KvModel.amongOthers())) {
      isViolatedBy(model, stuck);
    }
  }

  private void isViolatedBy(KvModel model, String stuck) {
    Verdict verdict = check(model);
    assertThat(verdict.outcome()).isEqualTo(Outcome.VIOLATION);
    assertThat(verdict.failure().stuckOperation().text()).isEqualTo(stuck);
  }

  @Test
  void nothingHappened() {
    isLinearizable();
  }

  @Test
  void aReadSeesTheLastWriteThatReturned() {
    op("a", new Put("x", "1"), DONE, 0, 10);
    op("a", new Put("x", "2"), DONE, 20, 30);
    op("b", new Get("x"), value("2"), 40, 50);
    isLinearizable();
  }

  @Test
  void aStaleReadIsAViolation() {
    op("a", new Put("x", "1"), DONE, 0, 10);
    op("a", new Put("x", "2"), DONE, 20, 30);
    op("b", new Get("x"), value("1"), 40, 50);
    isViolatedBy("get x → 1");
  }

  @Test
  void duringAWriteAReadMaySeeEither() {
    op("a", new Put("x", "1"), DONE, 0, 10);
    op("a", new Put("x", "2"), DONE, 20, 60);
    op("b", new Get("x"), value("1"), 30, 40);
    op("c", new Get("x"), value("2"), 30, 40);
    isLinearizable();
  }

  /** Once the new value was seen, the old one is gone, though the write has not returned. */
  @Test
  void readsThatGoBackInTimeAreAViolation() {
    op("a", new Put("x", "1"), DONE, 0, 10);
    op("a", new Put("x", "2"), DONE, 20, 100);
    op("b", new Get("x"), value("2"), 30, 40);
    op("b", new Get("x"), value("1"), 50, 60);
    isViolatedBy("get x → 1");
  }

  /** At the same time nobody knows which came first, so nothing may be concluded. */
  @Test
  void aCallAtTheTimeOfAReturnOverlapsIt() {
    op("a", new Put("x", "1"), DONE, 0, 10);
    op("b", new Get("x"), absent(), 10, 20);
    isLinearizable();
    op("c", new Get("x"), absent(), 11, 20);
    isViolatedBy("get x → absent");
  }

  @Test
  void aValueThatNobodyWroteIsAViolation() {
    op("a", new Put("x", "1"), DONE, 0, 10);
    op("b", new Get("x"), value("7"), 0, 100);
    isViolatedBy("get x → 7");
  }

  @Test
  void aValueFromTheFutureIsAViolation() {
    op("b", new Get("x"), value("1"), 0, 10);
    op("a", new Put("x", "1"), DONE, 20, 30);
    isViolatedBy("get x → 1");
  }

  @Test
  void aLostUpdateIsAViolation() {
    op("a", new Put("x", "0"), DONE, 0, 10);
    op("a", new CompareAndSet("x", "0", "1"), decided(0, true), 20, 50);
    op("b", new CompareAndSet("x", "0", "2"), decided(0, true), 20, 40);
    isViolatedBy("compare-and-set x from 0 to 2 → yes");
  }

  @Test
  void oneOfTwoConcurrentUpdatesMayFail() {
    op("a", new CompareAndSet("x", null, "1"), decided(0, true), 20, 50);
    op("b", new CompareAndSet("x", null, "2"), decided(0, false), 20, 40);
    op("b", new Delete("x"), decided(0, true, Seen.value("1")), 60, 70);
    op("a", new Delete("x"), decided(0, false), 80, 90);
    isLinearizable();
  }

  @Test
  void anAppendThatWasForgottenIsAViolation() {
    op("a", new Append("x", "1"), DONE, 0, 10);
    op("a", new Append("x", "2"), DONE, 5, 10);
    op("b", new Get("x"), value("21"), 20, 30);
    isLinearizable();
    op("b", new Get("x"), value("2"), 40, 50);
    isViolatedBy("get x → 2");
  }

  @Test
  void anUnknownWriteMayHappenLate() {
    op("a", new Put("x", "1"), DONE, 0, 10);
    unknown("b", new Put("x", "2"), 5);
    op("c", new Get("x"), value("1"), 100, 110);
    op("c", new Get("x"), value("2"), 200, 210);
    isLinearizable();
  }

  @Test
  void anUnknownWriteMayNeverHappen() {
    unknown("b", new Put("x", "2"), 0);
    unknown("b", new Delete("x"), 0);
    unknown("c", new Get("x"), 0);
    op("a", new Put("x", "1"), DONE, 0, 10);
    op("c", new Get("x"), value("1"), 100, 110);
    isLinearizable();
  }

  @Test
  void anUnknownWriteHappensOnlyOnce() {
    unknown("b", new Put("x", "2"), 0);
    op("c", new Get("x"), value("2"), 20, 30);
    op("a", new Put("x", "1"), DONE, 40, 50);
    op("c", new Get("x"), value("2"), 60, 70);
    isViolatedBy("get x → 2");
  }

  @Test
  void anUnknownWriteDoesNotHappenBeforeItsCall() {
    op("c", new Get("x"), value("2"), 0, 10);
    unknown("b", new Put("x", "2"), 11);
    isViolatedBy("get x → 2");
  }

  /** Nobody has seen the value 9, but it explains why the other update failed. */
  @Test
  void anUnknownWriteThatNobodySawMayBeNeeded() {
    op("a", new Put("x", "0"), DONE, 0, 10);
    unknown("b", new Put("x", "9"), 5);
    op("a", new CompareAndSet("x", "0", "1"), decided(0, false), 20, 30);
    isLinearizable();
  }

  @Test
  void aTransactionIsSeenWholeOrNotAtAll() {
    op("a", Txn.of(new Put("x", "1"), new Put("y", "1")), DONE, 0, 100);
    op("b", new Get("x"), value("1"), 10, 20);
    op("b", new Get("y"), value("1"), 30, 40);
    isLinearizable();
    op("c", new Get("y"), absent(), 21, 25);
    isViolatedBy("get y → absent");
  }

  @Test
  void aTransactionReadsBothKeysAtOneInstant() {
    op("a", Txn.of(new Put("x", "1"), new Put("y", "1")), DONE, 0, 10);
    op("a", Txn.of(new Put("x", "2"), new Put("y", "2")), DONE, 20, 30);
    Txn both = Txn.of(new Get("x"), new Get("y"));
    op("b", both, decided(0, true, Seen.value("1"), Seen.value("2")), 5, 50);
    isViolatedBy("txn [get x, get y] → yes, 1, 2");
  }

  @Test
  void aTransactionTakesTheBranchOfItsCompares() {
    KvCompare isNew = KvCompare.number("x", KvCompare.Field.VERSION, KvCompare.Relation.EQUAL, 0);
    Txn once = new Txn(List.of(isNew), List.of(new Put("x", "1")), List.of(new Get("x")));
    op("a", once, decided(0, true), 0, 10);
    op("b", once, decided(0, false, Seen.value("1")), 0, 10);
    isLinearizable();
    op("b", once, decided(0, true), 20, 30);
    isViolatedBy("txn if [VERSION of x EQUAL 0] then [put x=1] else [get x] → yes");
  }

  /** The value came back; the revision tells that it is another one. */
  @Test
  void theRevisionTellsEqualValuesApart() {
    op("a", new Put("x", "A"), changed(2), 0, 10);
    op("a", new Put("x", "B"), changed(3), 20, 30);
    op("a", new Put("x", "A"), changed(4), 40, 50);
    op("b", new Get("x"), found(4, new Seen("A", 2, 4, 3)), 60, 70);
    isLinearizable();
    op("b", new Get("x"), found(4, new Seen("A", 2, 2, 1)), 80, 90);
    isViolatedBy("get x → A version 1 created 2 changed 2 @4");
  }

  @Test
  void revisionsGoUpInTheOrderOfWrites() {
    op("a", new Put("x", "1"), changed(3), 0, 10);
    op("b", new Put("x", "2"), changed(2), 20, 30);
    isViolatedBy("put x=2 → done @2");
  }

  /** The revision is one for all keys: that of y is older than what x has shown before. */
  @Test
  void revisionsOrderAllKeysOfAStore() {
    op("a", new Put("x", "1"), changed(2), 0, 10);
    op("a", new Put("y", "1"), changed(3), 0, 10);
    op("b", new Get("x"), found(3, Seen.value("1")), 20, 30);
    op("b", new Get("y"), found(2, Seen.ABSENT), 40, 50);
    isViolatedBy(KvModel.alone(), "get y → absent @2");
  }

  @Test
  void whatChangesNothingMakesNoRevision() {
    op("a", new Delete("x"), decided(1, false), 0, 10);
    op("a", new CompareAndSet("x", "1", "2"), decided(1, false), 20, 30);
    op("a", Txn.of(new Get("x")), decided(1, true, Seen.ABSENT), 40, 50);
    op("a", Txn.of(new Put("x", "1"), new Put("y", "1")), decided(2, true), 60, 70);
    op("a", new Delete("x"), decided(3, true), 80, 90);
    op("a", new Get("x"), found(3, Seen.ABSENT), 100, 110);
    isLinearizable();
  }

  /** Alone, a gap between revisions is a write that took effect, though nobody was told. */
  @Test
  void aGapInTheRevisionsNeedsAWrite() {
    op("a", new Put("x", "1"), changed(2), 0, 10);
    op("a", new Put("x", "3"), changed(4), 20, 30);
    isViolatedBy(KvModel.alone(), "put x=3 → done @4");
    assertThat(check(KvModel.amongOthers()).isLinearizable()).isTrue();
    unknown("b", new Put("y", "2"), 15);
    isLinearizable();
    op("a", new Get("y"), found(4, Seen.ABSENT), 40, 50);
    isViolatedBy(KvModel.alone(), "get y → absent @4");
  }

  @Test
  void aStoreMayHaveARevisionAtTheStart() {
    op("a", new Put("x", "1"), changed(78), 0, 10);
    assertThat(check(KvModel.alone().withFirstRevision(77)).isLinearizable()).isTrue();
    assertThat(check(KvModel.alone()).isLinearizable()).isFalse();
  }

  @Test
  void comparesOfRevisionsNeedAStoreThatNobodyElseChanges() {
    KvCompare same =
        KvCompare.number("x", KvCompare.Field.MOD_REVISION, KvCompare.Relation.EQUAL, 2);
    op("a", new Put("x", "1"), changed(2), 0, 10);
    op(
        "a",
        new Txn(List.of(same), List.of(new Put("x", "2")), List.of()),
        decided(3, true),
        20,
        30);
    assertThat(check(KvModel.alone()).isLinearizable()).isTrue();
    assertThatThrownBy(() -> check(KvModel.amongOthers()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** A transaction joins its keys; the others stay apart, each small enough for itself. */
  @Test
  void aHistoryIsCheckedInPartsThatShareNoKey() {
    op("a", Txn.of(new Put("a", "1"), new Put("b", "1")), DONE, 0, 10);
    op("a", Txn.of(new Put("b", "1"), new Put("c", "1")), DONE, 0, 10);
    op("a", new Put("d", "1"), DONE, 0, 10);
    op("b", new Get("a"), value("1"), 0, 10);
    op("b", new Get("d"), value("1"), 0, 10);
    assertThat(sizes(KvModel.alone())).containsExactlyInAnyOrder(3, 2);

    op("b", new Get("d"), found(4, Seen.value("1")), 20, 30);
    assertThat(sizes(KvModel.alone())).containsExactly(6);
    assertThat(sizes(KvModel.amongOthers())).containsExactlyInAnyOrder(3, 3);
  }

  private List<Integer> sizes(KvModel model) {
    return model.partition(history.operations()).stream().map(List::size).toList();
  }

  @Test
  void beyondTheBoundNothingIsClaimed() {
    for (int i = 0; i < 8; i++) {
      op("w" + i, new Put("x", "" + i), DONE, 0, 100);
      op("r" + i, new Get("x"), value("" + i), 100 + i, 200);
    }
    op("z", new Get("x"), absent(), 201, 210);
    assertThat(check(KvModel.alone()).outcome()).isEqualTo(Outcome.VIOLATION);
    Verdict verdict =
        LinearizabilityChecker.of(KvModel.alone()).withConfigurationsMax(10).check(history);
    assertThat(verdict.outcome()).isEqualTo(Outcome.UNDECIDED);
    assertThat(verdict.isLinearizable()).isFalse();
    assertThat(verdict.text()).startsWith("undecided after 11 configurations");
  }

  /** A small part is enough, however hard another one is. */
  @Test
  void aViolationIsFoundBesideAPartThatIsTooHard() {
    beyondTheBoundNothingIsClaimed();
    op("b", new Get("y"), value("1"), 0, 10);
    Verdict verdict =
        LinearizabilityChecker.of(KvModel.alone()).withConfigurationsMax(10).check(history);
    assertThat(verdict.outcome()).isEqualTo(Outcome.VIOLATION);
  }

  @Test
  void aVerdictSaysWhatHasNoPlaceAndWhy() {
    op("a", new Put("x", "1"), DONE, 0, 10);
    op("a", new Put("x", "2"), DONE, 20, 30);
    unknown("c", new Put("x", "3"), 25);
    op("b", new Get("x"), value("1"), 40, 50);
    assertThat(check(KvModel.alone()).text())
        .isEqualTo(
            """
            not linearizable: after the longest order that explains the others,
              b: get x → 1   [40–50]
            has no place. The state there: x=2
            The longest order holds 2 of 4 operations and ends with
              a: put x=1 → done   [0–10]
              a: put x=2 → done   [20–30]
            In flight there
              b: get x → 1   [40–50]
                not possible: x=2
              c: put x=3 → unknown   [25…]
                possible, but leads nowhere: x=2
            """);
  }
}
