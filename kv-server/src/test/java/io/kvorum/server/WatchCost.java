package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchOptions;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures what watches cost the puts of a node: none, 10,000 on other keys, and 1,000 on the key
 * that is put. Three nodes take turns, so that a slower machine is slower for all of them. Not a
 * test; it prints a line for each.
 */
final class WatchCost {
  private static final Bytes HOT = Bytes.utf8("hot");
  private static final int WARM_UP = 5;
  private static final int ROUNDS = 20;
  private static final Duration DELIVERY = Duration.ofMinutes(1);

  /** A node with its watches, and how fast each round went. */
  private static final class Contestant implements AutoCloseable {
    final String name;
    final KvNode node;
    final double[] rates = new double[ROUNDS];
    final AtomicLong heard = new AtomicLong();
    private long hotWatches;
    private long putsMade;

    Contestant(String name, Path directory) {
      this.name = name;
      this.node = KvNode.start(ServerConfig.embedded(directory).build());
    }

    void watch(int count, String prefix) {
      hotWatches = prefix == null ? count : 0;
      List<Watch> watches = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Bytes key = prefix == null ? HOT : Bytes.utf8(prefix + i);
        watches.add(
            node.watch(
                KeyRange.single(key),
                WatchOptions.DEFAULT,
                events -> heard.addAndGet(events.events().size())));
      }
      watches.forEach(watch -> watch.started().join());
    }

    /** A round, of which the rate counts unless it is a negative one, which warms up. */
    void run(int round) {
      double rate = PutRate.measure(node, put -> HOT);
      putsMade += PutRate.PUTS;
      if (round >= 0) {
        rates[round] = rate;
      }
      settle();
    }

    /** What it takes to deliver to its watches belongs to its own round, not to the next one's. */
    private void settle() {
      Await.until("all events delivered", DELIVERY, () -> heard.get() == hotWatches * putsMade);
    }

    @Override
    public void close() {
      node.close();
    }
  }

  private WatchCost() {}

  /** Takes no arguments. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Files.createTempDirectory("kvorum-watch-cost");
    try (Contestant none = new Contestant("no watches", directory.resolve("n1"));
        Contestant others =
            new Contestant("10,000 watches on other keys", directory.resolve("n2"));
        Contestant hot = new Contestant("1,000 watches on the hot key", directory.resolve("n3"))) {
      others.watch(10_000, "other-");
      hot.watch(1_000, null);
      List<Contestant> all = List.of(none, others, hot);
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        for (Contestant one : all) {
          one.run(round);
        }
      }
      all.forEach(one -> PutRate.print(one.name, one.rates));
      System.out.println(hot.heard + " events were delivered");
    }
  }
}
