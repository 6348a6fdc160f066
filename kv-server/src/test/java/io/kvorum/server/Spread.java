package io.kvorum.server;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Numbers of one kind, for what is measured by hand. */
public final class Spread {
  private final double[] sorted;

  private Spread(double[] sorted) {
    this.sorted = sorted;
  }

  /** Of at least one number. */
  public static Spread of(List<Double> numbers) {
    return of(numbers.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Of at least one number; the array is left alone. */
  public static Spread of(double... numbers) {
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    return new Spread(sorted);
  }

  public double median() {
    return at(0.5);
  }

  public double largest() {
    return sorted[sorted.length - 1];
  }

  /** Below which a share of them is, from 0 to 1. */
  public double at(double share) {
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  }

  /** A line: the middle one and the edges of the middle half. */
  public void print(String what, String unit) {
    System.out.printf(
        Locale.ROOT,
        "%-46s median %,12.2f %s, quartiles %,.2f to %,.2f, of %d%n",
        what,
        median(),
        unit,
        at(0.25),
        at(0.75),
        sorted.length);
  }
}
