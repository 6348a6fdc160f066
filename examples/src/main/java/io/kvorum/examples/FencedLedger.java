package io.kvorum.examples;

import io.kvorum.api.KvClient;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.recipes.Blocking;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.FencingGuard;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Something outside of Kvorum that one process at a time may write to. The lock says whose turn it
 * is; but whoever was paused may still believe that it is his. So the ledger itself refuses a token
 * that is older than one it has seen.
 */
public final class FencedLedger {
  private final FencingGuard guard = new FencingGuard();
  private final List<String> lines = new CopyOnWriteArrayList<>();

  /**
   * Adds a line.
   *
   * @throws FencingGuard.StaleTokenException if somebody has written under a newer token
   */
  public void write(long token, String line) {
    guard.run(token, () -> lines.add(line));
  }

  /** What was written. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** Writes a line when nobody else does. */
  static void writeAlone(KvClient kv, FencedLedger ledger, String line) {
    try (Owner owner = Blocking.await(Owner.open(kv, Duration.ofSeconds(10)));
        Held held = Blocking.await(DistributedLock.of(owner, "locks/ledger").acquire())) {
      ledger.write(held.fencingToken(), line);
    }
  }

  public static void main(String[] args) {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    FencedLedger ledger = new FencedLedger();
    try (RemoteKvClient client = RemoteKvClient.connect(config)) {
      writeAlone(client, ledger, "first");
      writeAlone(client, ledger, "second");
    }
    System.out.println(ledger.lines());
  }
}
