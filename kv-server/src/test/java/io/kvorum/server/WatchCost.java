package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures what watches cost the puts of a node: without any, with 10,000 on other keys, and with
 * 1,000 on the key that is put. Not a test; it prints a line for each.
 */
final class WatchCost {
  private static final int PUTS = 20_000;
  private static final int UNDER_WAY = 256;
  private static final int ROUNDS = 5;

  private WatchCost() {}

  /** Takes no arguments. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Files.createTempDirectory("kvorum-watch-cost");
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build())) {
      double[] unused = measure(node);
      print("no watches", measure(node));
      AtomicLong heard = new AtomicLong();
      print("10,000 watches on other keys", measureWith(node, 10_000, "other-", heard));
      print("1,000 watches on the hot key", measureWith(node, 1_000, null, heard));
      System.out.println(heard + " events were delivered");
    }
  }

  private static double[] measureWith(KvNode node, int count, String prefix, AtomicLong heard) {
    List<Watch> watches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bytes key = Bytes.utf8(prefix == null ? "hot" : prefix + i);
      watches.add(
          node.watch(
              KeyRange.single(key),
              WatchOptions.DEFAULT,
              events -> heard.addAndGet(events.events().size())));
    }
    watches.forEach(watch -> watch.started().join());
    double[] rates = measure(node);
    watches.forEach(Watch::close);
    watches.forEach(watch -> watch.ended().join());
    return rates;
  }

  /** Puts a second, of each round. */
  private static double[] measure(KvNode node) {
    double[] rates = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      List<CompletableFuture<?>> window = new ArrayList<>();
      for (int i = 0; i < PUTS; i++) {
        window.add(node.put(Bytes.utf8("hot"), Bytes.utf8("value " + i)));
        if (window.size() == UNDER_WAY) {
          window.forEach(CompletableFuture::join);
          window.clear();
        }
      }
      window.forEach(CompletableFuture::join);
      rates[round] = PUTS * 1e9 / (System.nanoTime() - start);
    }
    return rates;
  }

  private static void print(String what, double[] rates) {
    Arrays.sort(rates);
    System.out.printf(
        "%-30s median %,8.0f puts/s, %,.0f to %,.0f%n",
        what, rates[ROUNDS / 2], rates[0], rates[ROUNDS - 1]);
  }
}
