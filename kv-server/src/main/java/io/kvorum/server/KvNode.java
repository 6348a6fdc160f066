package io.kvorum.server;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.Bytes;
import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.CompactOptions;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.Leases;
import io.kvorum.api.Members;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.SpaceUse;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.netty.NettyConnector;
import io.kvorum.client.netty.NettyLoop;
import io.kvorum.server.watch.WatchStats;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A member of a cluster, embedded in this process; also its client.
 *
 * <p>Requests go to the leader: without a socket when that is this node, else over the network,
 * with everything that {@link RemoteKvClient} does about redirects, retries and deadlines. Several
 * nodes may live in one JVM, each with its own data directory.
 *
 * <p>A read that may be stale within a bound is answered by this node itself, without a message to
 * anybody if it knows something fresh enough.
 *
 * <p>A node runs six threads of its own (loop, log, apply, worker, watch, snapshot), one for
 * preparing and deleting files while there is something to do, and one for callbacks while there is
 * something to call.
 */
public final class KvNode implements KvClient, ClusterAdmin {
  private final ServerConfig config;
  private final NodeParts parts;
  private final RemoteKvClient client;

  private KvNode(ServerConfig config, NodeParts parts) {
    this.config = config;
    this.parts = parts;
    NettyLoop loop = NettyLoop.sharing(parts.loop().eventLoop(), parts.loop().socketType());
    LocalConnector connector =
        new LocalConnector(
            config.self(), parts.service(), parts.loop().lane(), new NettyConnector(loop));
    this.client = RemoteKvClient.connect(clientConfig(config), loop, connector);
  }

  private static ClientConfig clientConfig(ServerConfig config) {
    List<Endpoint> endpoints = new ArrayList<>();
    endpoints.add(endpoint(config.self()));
    for (Member member : config.members()) {
      if (!member.id().equals(config.nodeId())) {
        endpoints.add(endpoint(member));
      }
    }
    return ClientConfig.builder()
        .endpoints(endpoints)
        .clusterId(config.clusterId())
        .clientName(config.nodeId().name())
        .build();
  }

  private static Endpoint endpoint(Member member) {
    return new Endpoint(member.host(), member.clientPort());
  }

  /**
   * Starts a node: opens its data directory, replays its log, and takes part in its cluster. Does
   * not wait for a leader; the first request does.
   *
   * @throws io.kvorum.disk.DirectoryInUseException if another node uses the directory
   * @throws io.kvorum.node.DataDirectoryException if the directory is another node's or cluster's,
   *     or lacks a part
   * @throws io.kvorum.log.CorruptLogException if the log holds damage that is no torn tail
   * @throws java.io.UncheckedIOException if the disk fails, or a port cannot be used; of an {@link
   *     InterruptedIOException} if this thread is interrupted, as it stays. Nothing is damaged then
   */
  public static KvNode start(ServerConfig config) {
    NodeParts parts;
    try {
      checkNotInterrupted(config, null);
      parts = NodeParts.start(config);
    } catch (RuntimeException failed) {
      // The first to meet an interrupt is a file, which is closed by it: it is not to blame.
      checkNotInterrupted(config, failed);
      throw failed;
    }
    return new KvNode(config, parts);
  }

  private static void checkNotInterrupted(ServerConfig config, @Nullable Throwable failed) {
    if (Thread.currentThread().isInterrupted()) {
      String message =
          config.nodeId()
              + " was not started: the thread that starts it is interrupted. Its data directory is"
              + " not damaged; start it from a thread that is not";
      UncheckedIOException interrupted =
          new UncheckedIOException(message, new InterruptedIOException(message));
      if (failed != null) {
        interrupted.addSuppressed(failed);
      }
      throw interrupted;
    }
  }

  @Override
  public boolean mayWait() {
    return client.mayWait();
  }

  @Override
  public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    return client.put(key, value, options);
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    return options.consistency() instanceof ReadConsistency.BoundedStaleness
        ? client.get(endpoint(config.self()), key, options)
        : client.get(key, options);
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    return client.delete(key, options);
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    return client.deleteRange(range, options);
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    return options.consistency() instanceof ReadConsistency.BoundedStaleness
        ? client.range(endpoint(config.self()), range, options)
        : client.range(range, options);
  }

  @Override
  public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    return options.consistency() instanceof ReadConsistency.BoundedStaleness
        ? client.txn(endpoint(config.self()), txn, options)
        : client.txn(txn, options);
  }

  @Override
  public Leases leases() {
    return client.leases();
  }

  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    return client.compact(revision, options);
  }

  @Override
  public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
    return client.watch(range, options, listener);
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener) {
    return client.watchWithSnapshot(range, options, listener);
  }

  @Override
  public CompletableFuture<Members> members(AdminOptions options) {
    return client.members(options);
  }

  @Override
  public CompletableFuture<Members> changeMembers(Members wanted, AdminOptions options) {
    return client.changeMembers(wanted, options);
  }

  @Override
  public CompletableFuture<SpaceUse> space(AdminOptions options) {
    return client.space(options);
  }

  @Override
  public CompletableFuture<SpaceUse> setQuota(long bytes, AdminOptions options) {
    return client.setQuota(bytes, options);
  }

  @Override
  public CompletableFuture<Header> transferLeadership(String id, AdminOptions options) {
    return client.transferLeadership(id, options);
  }

  /** What this node says of itself; not linearizable. */
  public CompletableFuture<NodeStatus> status() {
    return client.status(endpoint(config.self()));
  }

  /**
   * Completes when the node has stopped itself, with the reason; never otherwise. It still has to
   * be closed. The reason is an {@link io.kvorum.node.RemovedException} if the group has removed
   * it, a {@link DisownedException} if the others know its name with another data directory, else
   * whatever keeps it from keeping its promises.
   */
  public CompletableFuture<Throwable> failure() {
    return parts.failure();
  }

  /** How many watches this node serves, and how they do. */
  public WatchStats watchStats() {
    return parts.watchStats();
  }

  /** How many leases there are, those of sessions and idempotency keys among them. */
  CompletableFuture<Integer> leasesKnown() {
    return parts.leasesKnown();
  }

  /** How often this node has synced entries of the log, to set beside the disk's own count. */
  public long syncedBatches() {
    return parts.node().syncedBatches();
  }

  /**
   * A client as this one, whose calls have another deadline: for a single call, {@code
   * node.withTimeout(time).get(key)}. It ends with the node; to close it does nothing. Its reads
   * with bounded staleness are answered by the leader.
   *
   * @param time from the call to the end of its future, retries included
   */
  public KvClient withTimeout(Duration time) {
    return client.withTimeout(time);
  }

  /**
   * Leaves the cluster for now: makes what was applied durable, and gives back threads, files and
   * memory. Requests under way end as {@link KvClient#close} says. Closing twice is allowed.
   *
   * @throws IllegalStateException if something could not be closed; all else has been
   */
  @Override
  public void close() {
    client.close();
    parts.close();
  }
}
