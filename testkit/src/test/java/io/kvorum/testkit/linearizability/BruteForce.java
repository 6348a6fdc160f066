package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.List;

/** The definition, word for word: is there any order at all? Tries them one by one. */
final class BruteForce {
  private BruteForce() {}

  static <S, I, O> boolean isLinearizable(Model<S, I, O> model, List<Operation<I, O>> operations) {
    return isLinearizable(model, model.initial(), operations);
  }

  private static <S, I, O> boolean isLinearizable(
      Model<S, I, O> model, S state, List<Operation<I, O>> left) {
    if (left.stream().allMatch(Operation::isUnknown)) {
      return true;
    }
    for (Operation<I, O> next : left) {
      S after = model.step(state, next.input(), next.output());
      if (after == null || left.stream().anyMatch(o -> o.returnedAt() < next.calledAt())) {
        continue;
      }
      List<Operation<I, O>> rest = new ArrayList<>(left);
      rest.remove(next);
      if (isLinearizable(model, after, rest)) {
        return true;
      }
    }
    return false;
  }
}
