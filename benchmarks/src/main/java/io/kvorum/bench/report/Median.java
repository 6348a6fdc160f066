package io.kvorum.bench.report;

import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** The middle of some figures: what a single disturbed round does not move. */
final class Median {
  private Median() {}

  /** Of an even number of figures, the mean of the two in the middle. */
  static <T> double of(Collection<T> things, ToDoubleFunction<T> figure) {
    if (things.isEmpty()) {
      throw new IllegalArgumentException("nothing has no median");
    }
    double[] sorted = things.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
