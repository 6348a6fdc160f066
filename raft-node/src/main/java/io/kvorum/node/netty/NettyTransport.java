package io.kvorum.node.netty;

import io.kvorum.node.Clock;
import io.kvorum.node.Transport;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.NodeId;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Carries the messages of one group over TCP. For each direction between two members there is one
 * connection, opened by the one that sends; {@code peer.proto} describes what goes over it.
 *
 * <p>All runs on the loop. Messages to one peer arrive in the order sent or not at all, except that
 * those of an older connection may be lost while later ones arrive. Nothing is called back from
 * within {@link #send} or {@link #flush}, or after {@link #close}.
 *
 * <p>Memory is bounded for each peer, whether or not it reads: beyond the limits of {@link
 * TransportOptions} messages are dropped and counted. So is {@code InstallSnapshot}, which is not
 * on the wire. Entries that go to several followers in one turn of the loop are encoded once.
 */
public final class NettyTransport implements Transport {
  private static final long CLOSE_SECONDS_MAX = 10;

  private final NettyLoop loop;
  private final InetSocketAddress listen;
  private final Map<NodeId, InetSocketAddress> peers;
  private final HelloPolicy policy;
  private final TransportOptions options;
  private final Clock clock;
  private final RandomGenerator random;
  private final TransportCounters counters = new TransportCounters();
  private final SharedPayloads payloads;

  // Owned by the loop.
  private final Map<NodeId, PeerLink> links = new TreeMap<>();
  private @Nullable PeerListener listener;
  private boolean started;
  private boolean closed;

  private volatile int boundPort;

  /**
   * A transport that does nothing before {@link #start}.
   *
   * @param loop shared with whatever else runs on the node's loop; closed by the caller, later
   * @param listen where to listen; port 0 for any
   * @param peers where the other members listen; a host name is looked up anew for each attempt to
   *     connect, whether or not the address is resolved
   * @param random used on the loop only
   */
  public NettyTransport(
      NettyLoop loop,
      InetSocketAddress listen,
      Map<NodeId, InetSocketAddress> peers,
      HelloPolicy policy,
      TransportOptions options,
      Clock clock,
      RandomGenerator random) {
    if (peers.containsKey(policy.identity().node())) {
      throw new IllegalArgumentException(policy.identity().node() + " is no peer of itself");
    }
    this.loop = loop;
    this.listen = listen;
    this.peers = new TreeMap<>(peers);
    this.policy = policy;
    this.options = options;
    this.clock = clock;
    this.random = random;
    this.payloads = new SharedPayloads(loop.allocator(), options.group());
  }

  /**
   * {@inheritDoc}
   *
   * <p>May be called on another thread too, which then waits for the loop.
   *
   * @throws java.io.UncheckedIOException naming address and port, if it cannot listen there; then
   *     nothing else has been done
   */
  @Override
  public void start(Receiver receiver) {
    if (loop.eventLoop().inEventLoop()) {
      startOnLoop(receiver);
      return;
    }
    try {
      CompletableFuture.runAsync(() -> startOnLoop(receiver), loop.eventLoop()).join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
  }

  private void startOnLoop(Receiver receiver) {
    InvariantViolation.check(!started && !closed, "a transport is started once");
    started = true;
    TransportContext context =
        new TransportContext(
            loop, policy, options, clock, random, counters, new WarnLimit(clock), receiver);
    InetSocketAddress address = new InetSocketAddress(listen.getHostString(), listen.getPort());
    PeerListener opened = new PeerListener(context);
    listener = opened;
    boundPort = opened.open(address);
    peers.forEach((peer, at) -> links.put(peer, new PeerLink(context, peer, at, payloads)));
    links.values().forEach(PeerLink::open);
  }

  /** The port on which it listens. Any thread, after the start. */
  public int boundPort() {
    InvariantViolation.check(boundPort != 0, "a port is bound after the start");
    return boundPort;
  }

  @Override
  public void send(Envelope envelope) {
    InvariantViolation.check(loop.eventLoop().inEventLoop(), "a transport belongs to its loop");
    InvariantViolation.check(
        envelope.from().equals(policy.identity().node()), "a node sends in its own name");
    PeerLink link = links.get(envelope.to());
    if (closed) {
      counters.dropped.increment();
    } else if (link == null || !PeerCodec.travels(envelope.message())) {
      counters.unsendable.increment();
    } else {
      link.send(envelope);
    }
  }

  @Override
  public void flush() {
    payloads.clear();
    for (PeerLink link : links.values()) {
      link.flush();
    }
  }

  /** What has been done so far. Any thread. */
  public TransportStats stats() {
    return counters.snapshot();
  }

  /** How often entries were encoded, for tests. On the loop. */
  long encodings() {
    return payloads.encodings();
  }

  /** Bytes that wait for a peer's socket. On the loop. */
  long waitingBytes(NodeId peer) {
    PeerLink link = links.get(peer);
    return link == null ? 0 : link.waitingBytes();
  }

  /**
   * Closes all sockets; what has not left is dropped. May be called again, on any thread, and when
   * the start has failed.
   *
   * @throws IllegalStateException if the loop is busy for more than 10 seconds
   */
  @Override
  public void close() {
    if (loop.eventLoop().inEventLoop()) {
      closeOnLoop();
      return;
    }
    if (loop.eventLoop().isShuttingDown()) {
      // The loop closes its sockets itself when it ends.
      return;
    }
    try {
      CompletableFuture.runAsync(this::closeOnLoop, loop.eventLoop())
          .get(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException failed) {
      throw new IllegalStateException("the transport did not close", failed);
    } catch (InterruptedException interrupted) {
      // The caller does not want to wait any longer; the loop closes it all the same.
      Thread.currentThread().interrupt();
    }
  }

  private void closeOnLoop() {
    if (closed) {
      return;
    }
    closed = true;
    payloads.clear();
    links.values().forEach(PeerLink::close);
    if (listener != null) {
      listener.close();
    }
  }
}
