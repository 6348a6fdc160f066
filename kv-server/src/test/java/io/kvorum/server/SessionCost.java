package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Measures what exactly-once costs the puts of a client over TCP: one client whose writes are
 * numbered in a session, one without, in turns, on one node. Not a test; it prints a line for each.
 */
final class SessionCost {
  private static final int PUTS = 20_000;
  private static final int UNDER_WAY = 256;
  private static final int WARM_UP = 10;
  private static final int ROUNDS = 30;

  private SessionCost() {}

  /** The port to serve at, by default 17900. */
  public static void main(String[] arguments) throws IOException {
    int port = arguments.length == 0 ? 17900 : Integer.parseInt(arguments[0]);
    Path directory = Files.createTempDirectory("kvorum-session-cost");
    ServerConfig config =
        ServerConfig.embedded(directory.resolve("n1"))
            .members(List.of(Member.parse("n1=127.0.0.1:" + port + ":" + (port + 1))))
            .clientPortOpen(true)
            .build();
    try (KvNode node = KvNode.start(config);
        RemoteKvClient with = client(port, Duration.ofSeconds(60));
        RemoteKvClient without = client(port, Duration.ZERO)) {
      double[] numbered = new double[ROUNDS];
      double[] plain = new double[ROUNDS];
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        double first = round(with);
        double second = round(without);
        if (round >= 0) {
          numbered[round] = first;
          plain[round] = second;
        }
      }
      print("in a session", numbered);
      print("without a session", plain);
      System.out.println(node.syncedBatches() + " batches were synced");
    }
  }

  private static RemoteKvClient client(int port, Duration sessionTtl) {
    return RemoteKvClient.connect(
        ClientConfig.builder()
            .endpoints(List.of(new Endpoint("127.0.0.1", port)))
            .sessionTtl(sessionTtl)
            .build());
  }

  /** Puts a second. */
  private static double round(RemoteKvClient client) {
    long start = System.nanoTime();
    List<CompletableFuture<?>> window = new ArrayList<>();
    for (int i = 0; i < PUTS; i++) {
      window.add(client.put(Bytes.utf8("key " + i % 1000), Bytes.utf8("value " + i)));
      if (window.size() == UNDER_WAY) {
        window.forEach(CompletableFuture::join);
        window.clear();
      }
    }
    window.forEach(CompletableFuture::join);
    return PUTS * 1e9 / (System.nanoTime() - start);
  }

  private static void print(String what, double[] rates) {
    Arrays.sort(rates);
    System.out.printf(
        "%-20s median %,8.0f puts/s, quartiles %,.0f to %,.0f%n",
        what, rates[ROUNDS / 2], rates[ROUNDS / 4], rates[ROUNDS * 3 / 4]);
  }
}
