package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.node.SnapshotConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Measures how long puts wait while a node takes snapshots: the same puts with and without, in
 * turns, on one node with RocksDB over TCP. A round with snapshots goes on until one was taken from
 * its beginning to its end. Not a test.
 */
final class SnapshotPause {
  private static final int UNDER_WAY = 16;
  private static final int ROUND_PUTS = 5_000;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final int keys;
  private final SplittableRandom random = new SplittableRandom(1);
  private final byte[] value = new byte[256];

  private SnapshotPause(int keys) {
    this.keys = keys;
  }

  /** How many keys there are, by default a million; how many rounds of each kind, by default 15. */
  public static void main(String[] arguments) throws IOException {
    int keys = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 15;
    Path directory = Files.createTempDirectory("kvorum-snapshot-pause");
    List<Member> members = TestCluster.freeMembers(1);
    ServerConfig config =
        ServerConfig.embedded(directory.resolve("n1"))
            .members(members)
            .clientPortOpen(true)
            .snapshots(SnapshotConfig.NEVER)
            .build();
    Endpoint endpoint = new Endpoint("127.0.0.1", members.get(0).clientPort());
    try (KvNode node = KvNode.start(config);
        RemoteKvClient client =
            RemoteKvClient.connect(
                ClientConfig.builder()
                    .endpoints(List.of(endpoint))
                    .requestTimeout(PATIENCE)
                    .build())) {
      new SnapshotPause(keys).run(client, endpoint, rounds);
      System.out.println(node.syncedBatches() + " batches were synced");
    }
  }

  private void run(RemoteKvClient client, Endpoint endpoint, int rounds) {
    for (int i = 0; i < keys; i += ROUND_PUTS) {
      int first = i;
      puts(client, ROUND_PUTS, put -> first + put, new ArrayList<>());
    }
    Sample without = new Sample("puts, no snapshot");
    Sample with = new Sample("puts, snapshots taken");
    List<Double> taking = new ArrayList<>();
    for (int round = -2; round < rounds; round++) {
      // Both begin with as much that is not in a snapshot.
      List<Double> quiet = new ArrayList<>();
      puts(client, ROUND_PUTS, put -> random.nextInt(keys), quiet);
      List<Double> busy = new ArrayList<>();
      double millis = whileTaking(client, endpoint, busy);
      if (round >= 0) {
        without.add(quiet);
        with.add(busy);
        taking.add(millis);
      }
    }
    without.print();
    with.print();
    with.printRatios(without);
    Spread.of(taking).print("a snapshot", "ms");
  }

  private double whileTaking(RemoteKvClient client, Endpoint endpoint, List<Double> busy) {
    long start = System.nanoTime();
    long[] end = new long[1];
    CompletableFuture<?> taken =
        client.takeSnapshot(endpoint, false).whenComplete((t, e) -> end[0] = System.nanoTime());
    while (!taken.isDone()) {
      puts(client, 500, put -> random.nextInt(keys), busy);
    }
    taken.join();
    return (end[0] - start) / 1e6;
  }

  /** Puts, always as many under way; how long each took in milliseconds. */
  private void puts(
      KvClient client, int count, java.util.function.IntUnaryOperator keyOf, List<Double> millis) {
    Semaphore free = new Semaphore(UNDER_WAY);
    double[] took = new double[count];
    for (int i = 0; i < count; i++) {
      int put = i;
      random.nextBytes(value);
      free.acquireUninterruptibly();
      long start = System.nanoTime();
      CompletableFuture<?> unused =
          client
              .put(Bytes.utf8("key-%08d".formatted(keyOf.applyAsInt(i))), Bytes.copyOf(value))
              .whenComplete(
                  (done, failure) -> {
                    took[put] = failure == null ? (System.nanoTime() - start) / 1e6 : Double.NaN;
                    free.release();
                  });
    }
    free.acquireUninterruptibly(UNDER_WAY);
    for (double each : took) {
      if (Double.isNaN(each)) {
        throw new IllegalStateException("a put failed");
      }
      millis.add(each);
    }
  }

  /** What was seen of one kind, round by round. */
  private static final class Sample {
    private static final double[] SHARES = {0.5, 0.99, 1};

    private final String name;
    private final List<Double> all = new ArrayList<>();
    private final List<Spread> rounds = new ArrayList<>();

    Sample(String name) {
      this.name = name;
    }

    void add(List<Double> round) {
      all.addAll(round);
      rounds.add(Spread.of(round));
    }

    void print() {
      Spread spread = Spread.of(all);
      System.out.printf(
          Locale.ROOT,
          "%-24s p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, longest %.2f ms, of %,d%n",
          name,
          spread.at(0.5),
          spread.at(0.99),
          spread.at(0.999),
          spread.largest(),
          all.size());
    }

    /** How many times as much as in the round before it. */
    void printRatios(Sample other) {
      for (double share : SHARES) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rounds.size(); i++) {
          ratios.add(rounds.get(i).at(share) / other.rounds.get(i).at(share));
        }
        Spread.of(ratios)
            .print("with / without, " + (share == 1 ? "longest" : "p" + share * 100), "times");
      }
    }
  }
}
