package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Measures what exactly-once costs the puts of a client over TCP: one client whose writes are
 * numbered in a session, one without, in turns, on one node. Not a test; it prints a line for each.
 */
final class SessionCost {
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
        double first = PutRate.measure(with, SessionCost::key);
        double second = PutRate.measure(without, SessionCost::key);
        if (round >= 0) {
          numbered[round] = first;
          plain[round] = second;
        }
      }
      PutRate.print("in a session", numbered);
      PutRate.print("without a session", plain);
      System.out.println(node.syncedBatches() + " batches were synced");
    }
  }

  private static Bytes key(int put) {
    return Bytes.utf8("key " + put % 1000);
  }

  private static RemoteKvClient client(int port, Duration sessionTtl) {
    return RemoteKvClient.connect(
        ClientConfig.builder()
            .endpoints(List.of(new Endpoint("127.0.0.1", port)))
            .sessionTtl(sessionTtl)
            .build());
  }
}
