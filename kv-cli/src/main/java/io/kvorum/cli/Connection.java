package io.kvorum.cli;

import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.KvClient;
import io.kvorum.api.NodeStatus;
import io.kvorum.client.TakenSnapshot;
import io.kvorum.server.backup.BackupSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** An open client of a cluster, and a way to ask single nodes. */
interface Connection extends AutoCloseable {
  KvClient client();

  /** The same client, for what concerns the members. */
  ClusterAdmin admin();

  /**
   * Asks the node behind the endpoint, and no other, what it says of itself. Fails with {@link
   * io.kvorum.api.KvException.Unavailable} when it does not answer.
   */
  CompletableFuture<NodeStatus> status(String endpoint);

  /** Has the node behind the endpoint take a snapshot, which may take so long. */
  CompletableFuture<TakenSnapshot> takeSnapshot(String endpoint, Duration patience);

  /** The node behind the endpoint, to take a backup from. */
  BackupSource backupSource(String endpoint, Duration patience);

  /** Closes the client too. */
  @Override
  void close();
}
