package io.kvorum.cli;

import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.KvClient;
import io.kvorum.api.NodeStatus;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.TakenSnapshot;
import io.kvorum.server.backup.BackupSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A connection over the network. */
final class RemoteConnection implements Connection {
  /** So many members that cannot be reached leave time for one that can. */
  private static final int CONNECTS_IN_TIME = 3;

  private static final Duration CONNECT_MIN = Duration.ofSeconds(1);

  private final RemoteKvClient client;

  private RemoteConnection(RemoteKvClient client) {
    this.client = client;
  }

  /** See {@link ClientFactory#connect}. */
  static Connection open(List<String> endpoints, Duration timeout) {
    return new RemoteConnection(RemoteKvClient.connect(config(endpoints, timeout)));
  }

  /** Who gives an operation more time has a slow network, or slow nodes: so have connections. */
  static ClientConfig config(List<String> endpoints, Duration timeout) {
    Duration share = timeout.dividedBy(CONNECTS_IN_TIME);
    return ClientConfig.builder()
        .endpoints(endpoints.stream().map(Endpoint::parse).toList())
        .requestTimeout(timeout)
        .connectTimeout(share.compareTo(CONNECT_MIN) < 0 ? CONNECT_MIN : share)
        .clientName("kvorum")
        .build();
  }

  @Override
  public KvClient client() {
    return client;
  }

  @Override
  public ClusterAdmin admin() {
    return client;
  }

  @Override
  public CompletableFuture<NodeStatus> status(String endpoint) {
    return client.status(Endpoint.parse(endpoint));
  }

  @Override
  public CompletableFuture<TakenSnapshot> takeSnapshot(String endpoint, Duration patience) {
    return client.withTimeout(patience).takeSnapshot(Endpoint.parse(endpoint), false);
  }

  @Override
  public BackupSource backupSource(String endpoint, Duration patience) {
    return BackupSource.of(client, Endpoint.parse(endpoint), patience);
  }

  @Override
  public void close() {
    client.close();
  }
}
