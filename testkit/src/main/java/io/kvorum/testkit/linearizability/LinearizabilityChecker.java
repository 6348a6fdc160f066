package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Says whether a history is linearizable: whether its operations can be put into an order, each
 * between its call and its return, in which a model gives every output that was seen.
 *
 * <p>To decide that is NP-complete, so there is a bound on how much is looked at. Beyond it the
 * verdict is {@link Verdict.Outcome#UNDECIDED}, which is no success.
 *
 * <pre>{@code
 * LinearizabilityChecker.of(KvModel.alone()).check(history).orThrow(Path.of("target/run.html"));
 * }</pre>
 *
 * @param <S> the states of the model
 * @param <I> what is asked for
 * @param <O> what is answered
 */
public final class LinearizabilityChecker<S, I, O> {
  /** Some seconds of search. */
  public static final long CONFIGURATIONS_MAX_DEFAULT = 5_000_000;

  /** A relaxation of the model gets this part of the bound. */
  private static final long RELAXATION_SHARE = 4;

  private final Model<S, I, O> model;
  private final long configurationsMax;

  private LinearizabilityChecker(Model<S, I, O> model, long configurationsMax) {
    this.model = model;
    this.configurationsMax = configurationsMax;
  }

  /** A checker with the default bound. */
  public static <S, I, O> LinearizabilityChecker<S, I, O> of(Model<S, I, O> model) {
    return new LinearizabilityChecker<>(model, CONFIGURATIONS_MAX_DEFAULT);
  }

  /** With this bound on the configurations of all parts of a history together. */
  public LinearizabilityChecker<S, I, O> withConfigurationsMax(long most) {
    if (most < 1) {
      throw new IllegalArgumentException("at least one configuration: " + most);
    }
    return new LinearizabilityChecker<>(model, most);
  }

  /** Checks what was recorded up to now. */
  public Verdict check(History<I, O> history) {
    return check(history.operations());
  }

  /** Checks these operations. */
  public Verdict check(List<Operation<I, O>> history) {
    long configurations = 0;
    for (Model<?, I, O> weaker : model.relaxations(history)) {
      Verdict verdict = check(weaker, history, configurationsMax / RELAXATION_SHARE);
      configurations += verdict.configurations();
      if (verdict.outcome() == Verdict.Outcome.VIOLATION) {
        return verdict;
      }
    }
    Verdict verdict = check(model, history, Math.max(1, configurationsMax - configurations));
    return new Verdict(
        verdict.outcome(), configurations + verdict.configurations(), verdict.failure());
  }

  private static <S, I, O> Verdict check(
      Model<S, I, O> model, List<Operation<I, O>> history, long configurationsMax) {
    List<List<Operation<I, O>>> parts = new ArrayList<>(model.partition(history));
    // A small part is cheap to decide, and one violation is enough.
    parts.sort(Comparator.comparingInt(List::size));
    long configurations = 0;
    Verdict undecided = null;
    for (List<Operation<I, O>> part : parts) {
      long left = Math.max(0, configurationsMax - configurations);
      Search<S, I, O> search = new Search<>(model.fittedTo(part), part, left);
      Verdict.Outcome outcome = search.run();
      configurations += search.configurations();
      if (outcome == Verdict.Outcome.VIOLATION) {
        return new Verdict(outcome, configurations, search.failure());
      }
      if (outcome == Verdict.Outcome.UNDECIDED && undecided == null) {
        undecided = new Verdict(outcome, configurations, search.failure());
      }
    }
    return undecided == null
        ? new Verdict(Verdict.Outcome.LINEARIZABLE, configurations, null)
        : undecided;
  }
}
