package io.kvorum.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.testkit.linearizability.RegisterModel.Access;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.statistics.Statistics;

/** The checker says what trying every order says, on histories small enough for that. */
class CheckerAgainstBruteForceTest {
  /** Wrong answers that were made from right histories, and how many of them no order explains. */
  private static long changed;

  private static long violations;

  @BeforeContainer
  static void count() {
    changed = 0;
    violations = 0;
  }

  @AfterContainer
  static void mostWrongAnswersWereViolations() {
    assertThat(changed).isGreaterThan(1000);
    assertThat(violations).isBetween(changed / 3, changed - 1);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void ofRegisters(@ForAll("registers") List<Operation<Access, Integer>> history) {
    boolean expected = BruteForce.isLinearizable(new RegisterModel(), history);
    Verdict verdict = LinearizabilityChecker.of(new RegisterModel()).check(history);
    assertThat(verdict.outcome()).as(verdict.text()).isEqualTo(outcome(expected));
    Statistics.label("register")
        .collect(expected)
        .coverage(
            coverage -> {
              coverage.check(true).percentage(share -> share > 25);
              coverage.check(false).percentage(share -> share > 25);
            });
  }

  /** Every operation of a right history in turn gets every other answer. */
  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void ofStoresWithOneWrongAnswer(
      @ForAll("shapes") SimulatedStore.Shape shape,
      @ForAll long seed,
      @ForAll boolean amongOthers) {
    List<Operation<KvInput, KvOutput>> history = SimulatedStore.history(new Random(seed), shape);
    KvModel model = amongOthers ? KvModel.amongOthers() : KvModel.alone();
    if (amongOthers && shape.watchful() && shape.kinds().contains("t")) {
      return;
    }
    assertThat(same(model, history)).isTrue();
    Set<String> values = SimulatedStore.values(history);
    for (int i = 0; i < history.size(); i++) {
      Operation<KvInput, KvOutput> was = history.get(i);
      if (was.isUnknown()) {
        continue;
      }
      for (KvOutput other : SimulatedStore.alternatives(was, values)) {
        List<Operation<KvInput, KvOutput>> wrong = new ArrayList<>(history);
        wrong.set(
            i,
            new Operation<>(
                was.id(), was.process(), was.input(), other, was.calledAt(), was.returnedAt()));
        changed++;
        violations += same(model, wrong) ? 0 : 1;
      }
    }
  }

  private static boolean same(KvModel model, List<Operation<KvInput, KvOutput>> history) {
    boolean expected = expected(model, history);
    Verdict verdict = LinearizabilityChecker.of(model).check(history);
    assertThat(verdict.outcome())
        .as("%s%n%s", history, verdict.text())
        .isEqualTo(outcome(expected));
    return expected;
  }

  /** Among others, revisions of keys that no operation joins are not compared: nor here. */
  private static boolean expected(KvModel model, List<Operation<KvInput, KvOutput>> history) {
    boolean whole = BruteForce.isLinearizable(model, history);
    return whole
        || model.partition(history).stream()
            .allMatch(part -> BruteForce.isLinearizable(model, part));
  }

  private static Verdict.Outcome outcome(boolean linearizable) {
    return linearizable ? Verdict.Outcome.LINEARIZABLE : Verdict.Outcome.VIOLATION;
  }

  @Provide
  Arbitrary<SimulatedStore.Shape> shapes() {
    return Combinators.combine(
            Arbitraries.of(2, 3, 4),
            Arbitraries.integers().between(3, 7),
            Arbitraries.of(1, 2, 3),
            Arbitraries.of(0, 20, 50),
            Arbitraries.of(true, false),
            Arbitraries.of("pg", "pgd", "pgdca", "pgt", "pgdcat"))
        .as(SimulatedStore.Shape::new);
  }

  /** Short and dense, so that about every second one has an order. */
  @Provide
  Arbitrary<List<Operation<Access, Integer>>> registers() {
    Arbitrary<Operation<Access, Integer>> operations =
        Combinators.combine(
                Arbitraries.integers().between(0, 3),
                Arbitraries.integers().between(1, 2),
                Arbitraries.integers().between(0, 12),
                Arbitraries.integers().between(0, 9),
                Arbitraries.integers().between(0, 5))
            .as(CheckerAgainstBruteForceTest::access);
    return operations
        .list()
        .ofMinSize(2)
        .ofMaxSize(7)
        .map(
            list -> {
              List<Operation<Access, Integer>> numbered = new ArrayList<>();
              for (Operation<Access, Integer> o : list) {
                long id = numbered.size();
                numbered.add(
                    new Operation<>(
                        id, "p" + id, o.input(), o.output(), o.calledAt(), o.returnedAt()));
              }
              return numbered;
            });
  }

  private static Operation<Access, Integer> access(
      int kind, int value, int called, int length, int unknown) {
    Access input = kind < 2 ? Access.write(value) : Access.READ;
    Integer output = unknown == 0 ? null : kind < 2 ? value : kind == 2 ? value : value - 1;
    long returned = output == null ? Operation.NEVER : called + length;
    return new Operation<>(0, "p", input, output, called, returned);
  }
}
