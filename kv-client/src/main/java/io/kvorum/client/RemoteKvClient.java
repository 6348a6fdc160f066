package io.kvorum.client;

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
import io.kvorum.api.KvException;
import io.kvorum.api.Leases;
import io.kvorum.api.Members;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.SpaceUse;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.netty.NettyConnector;
import io.kvorum.client.netty.NettyLoop;
import io.kvorum.client.port.Connector;
import io.kvorum.client.port.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client of a cluster, over the network.
 *
 * <p>It finds the leader by itself, and again when leadership moves. A call is tried until its time
 * is over as long as it was certainly not executed; a read also when that is not certain; and so is
 * whatever changes the store, in a session with the cluster, which executes it once however often
 * it is sent. It ends with {@link KvException.OutcomeUnknown} when its time is over first, or the
 * session: a client that the cluster does not hear from for {@link ClientConfig#sessionTtl}.
 * Changes of members and of the quota, transfers, physical compactions, and all writes of a client
 * without sessions are not sent again once they were sent and not answered. What one thread asks to
 * change is applied in that order, as long as nothing of it fails or is refused for overload.
 *
 * <p>A client holds one connection to the leader and, while it watches, one to any member; one
 * thread for connections and, unless it was given an executor, one for callbacks while there is
 * something to call, and a few for listeners of watches while they run. One client is enough for a
 * process: many threads may have many calls under way.
 */
public final class RemoteKvClient implements KvClient, ClusterAdmin {
  private final ClientConfig config;
  private final Loop loop;
  private final @Nullable CallbackThread ownCallbacks;
  private final Inflight inflight;
  private final Dispatcher dispatcher;
  private final LeaseKeeper keeper;
  private final RemoteLeases leases;
  private final @Nullable ListenerThreads ownListeners;
  private final Watches watches;
  private final Duration timeout;

  /** Whether another one is closed, and this one is only a way to call it. */
  private final boolean isView;

  private RemoteKvClient(
      ClientConfig config,
      Loop loop,
      Connector connector,
      @Nullable CallbackThread ownCallbacks,
      Executor callbacks,
      long firstId) {
    this.config = config;
    this.timeout = config.requestTimeout();
    this.isView = false;
    this.loop = loop;
    this.ownCallbacks = ownCallbacks;
    this.inflight =
        new Inflight(config.inflightMax(), config.inflightBytesMax(), config.backoff().min());
    RandomGenerator random = config.random().orElseGet(SplittableRandom::new);
    Executor lasting = new LastingExecutor(callbacks);
    this.dispatcher = new Dispatcher(config, loop, connector, lasting, inflight, random, firstId);
    this.keeper =
        new LeaseKeeper(loop, lasting, config.requestTimeout().toNanos(), dispatcher::submit);
    this.leases = new RemoteLeases(this, keeper);
    // Listeners may block for as long as they like, and must not hold up futures.
    this.ownListeners = ownCallbacks == null ? null : new ListenerThreads();
    this.watches =
        new Watches(
            config,
            loop,
            connector,
            ownListeners == null ? lasting : ownListeners,
            random,
            dispatcher::clusterId);
  }

  private RemoteKvClient(RemoteKvClient whole, Duration timeout) {
    this.config = whole.config;
    this.timeout = timeout;
    this.isView = true;
    this.loop = whole.loop;
    this.ownCallbacks = whole.ownCallbacks;
    this.inflight = whole.inflight;
    this.dispatcher = whole.dispatcher;
    this.keeper = whole.keeper;
    this.leases = new RemoteLeases(this, keeper);
    this.ownListeners = whole.ownListeners;
    this.watches = whole.watches;
  }

  /**
   * The same client, whose calls have another deadline: for a single call, {@code
   * client.withTimeout(time).get(key)}. It shares everything with this one, and ends with it; to
   * close it does nothing. Watches have no deadline.
   *
   * @param time from the call to the end of its future, retries included
   */
  public RemoteKvClient withTimeout(Duration time) {
    ClientConfig.checkTime("timeout", time);
    return new RemoteKvClient(this, time);
  }

  /**
   * A client that connects when it is first used. Does not wait and does not fail: what is wrong
   * with the endpoints, calls tell.
   */
  public static RemoteKvClient connect(ClientConfig config) {
    NettyLoop loop = NettyLoop.start();
    return connect(config, loop, new NettyConnector(loop));
  }

  /**
   * The same client on other ports: a simulated network, a virtual clock.
   *
   * @param loop which the client closes when it is closed
   */
  public static RemoteKvClient connect(ClientConfig config, Loop loop, Connector connector) {
    return connect(config, loop, connector, 1);
  }

  static RemoteKvClient connect(ClientConfig config, Loop loop, Connector connector, long firstId) {
    if (config.callbackExecutor().isPresent()) {
      return new RemoteKvClient(
          config, loop, connector, null, config.callbackExecutor().get(), firstId);
    }
    CallbackThread callbacks = new CallbackThread();
    return new RemoteKvClient(config, loop, connector, callbacks, callbacks, firstId);
  }

  @Override
  public boolean mayWait() {
    return ownCallbacks == null || !ownCallbacks.isCurrent();
  }

  @Override
  public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    return call(() -> Requests.put(key, value, options), null);
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    return call(() -> Requests.get(key, options), null);
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    return call(() -> Requests.delete(key, options), null);
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    return call(() -> Requests.delete(range, options), null);
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    return call(() -> Requests.range(range, options), null);
  }

  @Override
  public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    return call(() -> Requests.txn(txn, options), null);
  }

  /** Executes a transaction that only reads, as {@link #get(Endpoint, Bytes, GetOptions)} a get. */
  public CompletableFuture<TxnResult> txn(Endpoint member, Txn txn, TxnOptions options) {
    return call(() -> Requests.txn(txn, options), member);
  }

  /**
   * Reads one key from that member, whether it leads or not: for {@link
   * io.kvorum.api.ReadConsistency#boundedStaleness}, which any member may answer. Asked once: where
   * the member cannot be reached, or cannot answer, the future fails with {@link
   * KvException.Unavailable} without further tries.
   */
  public CompletableFuture<GetResult> get(Endpoint member, Bytes key, GetOptions options) {
    return call(() -> Requests.get(key, options), member);
  }

  /** Reads a range from that member, as {@link #get(Endpoint, Bytes, GetOptions)} a key. */
  public CompletableFuture<RangeResult> range(
      Endpoint member, KeyRange range, RangeOptions options) {
    return call(() -> Requests.range(range, options), member);
  }

  /**
   * Asks that node what it says of itself. Asked once: where the node cannot be reached the future
   * fails with {@link KvException.Unavailable} at once, without further tries.
   */
  public CompletableFuture<NodeStatus> status(Endpoint endpoint) {
    return call(() -> Requests.status(endpoint), endpoint);
  }

  /**
   * Asks every configured endpoint, all at the same time. The future does not fail; what could not
   * be asked is in the list, which is in the order of the configuration.
   */
  public CompletableFuture<List<EndpointStatus>> status() {
    List<CompletableFuture<EndpointStatus>> answers = new ArrayList<>();
    for (Endpoint endpoint : config.endpoints()) {
      answers.add(status(endpoint).handle((status, failure) -> answer(endpoint, status, failure)));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
  }

  /**
   * Has that node take a snapshot of all that it has applied, whether it leads or not; who asks at
   * the same time may share one. Asked once, like {@link #status(Endpoint)}. A large state takes
   * its time: see {@link #withTimeout}.
   *
   * @param lend whether it will be read: then it is kept until nobody has read of it for a minute,
   *     and comes with its manifest
   */
  public CompletableFuture<TakenSnapshot> takeSnapshot(Endpoint member, boolean lend) {
    return call(() -> Requests.takeSnapshot(lend), member);
  }

  /**
   * Bytes of a snapshot that this node has lent; as fast as it gives them. Asked once.
   *
   * @param file its number in the manifest, from 0
   * @param length 1 to 262,144; all of them must exist
   */
  public CompletableFuture<byte[]> readSnapshot(
      Endpoint member, String name, int file, long offset, int length) {
    return call(() -> Requests.readSnapshot(name, file, offset, length), member);
  }

  private static EndpointStatus answer(
      Endpoint endpoint, @Nullable NodeStatus status, @Nullable Throwable failure) {
    if (status != null) {
      return new EndpointStatus(endpoint, Optional.of(status), Optional.empty());
    }
    if (failure instanceof KvException expected) {
      return new EndpointStatus(endpoint, Optional.empty(), Optional.of(expected));
    }
    throw new CompletionException(failure);
  }

  @Override
  public CompletableFuture<Members> members(AdminOptions options) {
    return call(Requests::members, null, options.timeout());
  }

  @Override
  public CompletableFuture<Members> changeMembers(Members wanted, AdminOptions options) {
    return call(() -> Requests.changeMembers(wanted), null, options.timeout());
  }

  @Override
  public CompletableFuture<SpaceUse> space(AdminOptions options) {
    return call(Requests::space, null, options.timeout());
  }

  @Override
  public CompletableFuture<SpaceUse> setQuota(long bytes, AdminOptions options) {
    return call(() -> Requests.setQuota(bytes), null, options.timeout());
  }

  @Override
  public CompletableFuture<Header> transferLeadership(String id, AdminOptions options) {
    return call(() -> Requests.transferLeadership(id), null, options.timeout());
  }

  @Override
  public Leases leases() {
    return leases;
  }

  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    return call(() -> Requests.compact(revision, options), null);
  }

  @Override
  public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
    return watches.open(range, options, listener);
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener) {
    if (options.fromRevision() != 0) {
      throw new IllegalArgumentException(
          "the snapshot decides from where to watch, not revision " + options.fromRevision());
    }
    SnapshotWatch watch = new SnapshotWatch(this, watches, range, options, listener);
    watch.start();
    return watch;
  }

  <T> CompletableFuture<T> call(Supplier<Request<T>> arguments, @Nullable Endpoint pinned) {
    return call(arguments, pinned, timeout);
  }

  private <T> CompletableFuture<T> call(
      Supplier<Request<T>> arguments, @Nullable Endpoint pinned, Duration limit) {
    Request<T> request;
    try {
      request = arguments.get();
    } catch (KvException.Rejected invalid) {
      return CompletableFuture.failedFuture(invalid);
    }
    KvException refused = dispatcher.limits().check(request);
    if (refused == null) {
      refused = inflight.enter(request);
    }
    if (refused != null) {
      return CompletableFuture.failedFuture(refused);
    }
    long deadlineNanos = loop.nanoTime() + limit.toNanos();
    Call<T> call = new Call<>(request, deadlineNanos, pinned);
    dispatcher.submit(call);
    return call.future;
  }

  /** Calls whose futures have not ended. Any thread. */
  public long inflightCalls() {
    return inflight.calls();
  }

  /** Bytes of their keys and values; 0 when there are none. Any thread. */
  public long inflightBytes() {
    return inflight.bytes();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Waits until connections and threads are gone, and up to a second for callbacks that are
   * running; called from a callback it does not wait for that one.
   */
  @Override
  public void close() {
    if (isView) {
      return;
    }
    keeper.close();
    watches.close();
    dispatcher.close();
    if (ownListeners != null) {
      ownListeners.close();
    }
    if (ownCallbacks != null) {
      ownCallbacks.close();
    }
  }
}
