package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/** How fast a client puts, for what is measured by hand: many at a time, round by round. */
final class PutRate {
  /** Of a round. */
  static final int PUTS = 20_000;

  private static final int UNDER_WAY = 256;

  private PutRate() {}

  /**
   * Puts a second, of one round.
   *
   * @param keys of the puts, by their number
   */
  static double measure(KvClient client, IntFunction<Bytes> keys) {
    long start = System.nanoTime();
    List<CompletableFuture<?>> window = new ArrayList<>();
    for (int i = 0; i < PUTS; i++) {
      window.add(client.put(keys.apply(i), Bytes.utf8("value " + i)));
      if (window.size() == UNDER_WAY) {
        window.forEach(CompletableFuture::join);
        window.clear();
      }
    }
    window.forEach(CompletableFuture::join);
    return PUTS * 1e9 / (System.nanoTime() - start);
  }

  /** A line about the rates of all rounds, which it sorts. */
  static void print(String what, double[] rates) {
    Arrays.sort(rates);
    System.out.printf(
        "%-30s median %,8.0f puts/s, quartiles %,.0f to %,.0f%n",
        what, rates[rates.length / 2], rates[rates.length / 4], rates[rates.length * 3 / 4]);
  }
}
