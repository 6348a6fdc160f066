package io.kvorum.cli;

import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.KvClient;
import io.kvorum.api.NodeStatus;
import io.kvorum.client.TakenSnapshot;
import io.kvorum.server.backup.BackupSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Opens each connection once and lends it to many commands. */
final class SharedConnections implements ClientFactory, AutoCloseable {
  /** Two commands that say this share a connection. */
  private record Wanted(List<String> endpoints, Duration timeout) {}

  private final ClientFactory clients;
  private final Duration timeoutDefault;
  private final Map<Wanted, Connection> open = new HashMap<>();

  /**
   * None yet.
   *
   * @param timeoutDefault of operations, where a command does not say otherwise
   */
  SharedConnections(ClientFactory clients, Duration timeoutDefault) {
    this.clients = clients;
    this.timeoutDefault = timeoutDefault;
  }

  @Override
  public Connection connect(List<String> endpoints, Duration timeout) {
    Duration chosen = timeout.equals(ClientOptions.TIMEOUT_DEFAULT) ? timeoutDefault : timeout;
    return new Lent(
        open.computeIfAbsent(
            new Wanted(List.copyOf(endpoints), chosen),
            wanted -> clients.connect(wanted.endpoints, wanted.timeout)));
  }

  @Override
  public void close() {
    open.values().forEach(Connection::close);
    open.clear();
  }

  /** A connection whose borrower closes it in vain. */
  private record Lent(Connection connection) implements Connection {
    @Override
    public KvClient client() {
      return connection.client();
    }

    @Override
    public ClusterAdmin admin() {
      return connection.admin();
    }

    @Override
    public CompletableFuture<NodeStatus> status(String endpoint) {
      return connection.status(endpoint);
    }

    @Override
    public CompletableFuture<TakenSnapshot> takeSnapshot(String endpoint, Duration patience) {
      return connection.takeSnapshot(endpoint, patience);
    }

    @Override
    public BackupSource backupSource(String endpoint, Duration patience) {
      return connection.backupSource(endpoint, patience);
    }

    @Override
    public void close() {
      // It is used again.
    }
  }
}
