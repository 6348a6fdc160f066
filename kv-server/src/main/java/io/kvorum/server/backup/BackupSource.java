package io.kvorum.server.backup;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.ReadConsistency;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.TakenSnapshot;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The node that a backup is taken from. Futures fail with a {@link io.kvorum.api.KvException}. */
public interface BackupSource {
  /** Ends when the node has all that was acknowledged before; fails if no leader can tell. */
  CompletableFuture<Void> catchUp();

  /** Has it take a snapshot now, and lend it. */
  CompletableFuture<TakenSnapshot> take();

  /** Bytes of a snapshot that it has lent. */
  CompletableFuture<byte[]> read(String name, int file, long offset, int length);

  /**
   * A node that is reached over the network.
   *
   * @param patience how long it may take to take the snapshot
   */
  static BackupSource of(RemoteKvClient client, Endpoint node, Duration patience) {
    return new BackupSource() {
      @Override
      public CompletableFuture<Void> catchUp() {
        // Answered from that node's state, and only when it is so fresh; the key does not matter.
        GetOptions fresh =
            GetOptions.DEFAULT.withConsistency(
                ReadConsistency.boundedStaleness(Duration.ofMillis(1)));
        return client.get(node, Bytes.utf8("-"), fresh).thenAccept(answer -> {});
      }

      @Override
      public CompletableFuture<TakenSnapshot> take() {
        return client.withTimeout(patience).takeSnapshot(node, true);
      }

      @Override
      public CompletableFuture<byte[]> read(String name, int file, long offset, int length) {
        return client.readSnapshot(node, name, file, offset, length);
      }
    };
  }
}
