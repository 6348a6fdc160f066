package io.kvorum.cli;

import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.KvClient;
import io.kvorum.api.NodeStatus;
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

  /** Closes the client too. */
  @Override
  void close();
}
