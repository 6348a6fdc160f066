package io.kvorum.node.netty;

import io.kvorum.node.Clock;
import io.kvorum.node.Features;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.Transport;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
 * TransportOptions} messages are dropped and counted. So is {@code InstallSnapshot}, in the place
 * of which {@link SnapshotFrame}s travel. Entries that go to several followers in one turn of the
 * loop are encoded once.
 */
public final class NettyTransport implements Transport {
  private static final long CLOSE_SECONDS_MAX = 10;

  private final NettyLoop loop;
  private final InetSocketAddress listen;
  private final PeerAddresses addresses;
  private final HelloPolicy policy;
  private final TransportOptions options;
  private final Clock clock;
  private final RandomGenerator random;
  private final TransportCounters counters = new TransportCounters();
  private final SharedPayloads payloads;

  // Owned by the loop.
  private final Map<NodeId, InetSocketAddress> known = new TreeMap<>();

  /** Those of the known whose address nobody but themselves has told. */
  private final Set<NodeId> callers = new TreeSet<>();

  private final Map<NodeId, PeerLink> links = new TreeMap<>();
  private @Nullable TransportContext context;
  private @Nullable PeerListener listener;
  private boolean started;
  private boolean closed;

  private volatile int boundPort;

  /**
   * A transport that does nothing before {@link #start}.
   *
   * @param loop shared with whatever else runs on the node's loop; closed by the caller, later
   * @param listen where to listen; port 0 for any
   * @param addresses where the other members listen
   * @param random used on the loop only
   */
  public NettyTransport(
      NettyLoop loop,
      InetSocketAddress listen,
      PeerAddresses addresses,
      HelloPolicy policy,
      TransportOptions options,
      Clock clock,
      RandomGenerator random) {
    this.loop = loop;
    this.listen = listen;
    this.addresses = addresses;
    this.policy = policy;
    this.options = options;
    this.clock = clock;
    this.random = random;
    this.payloads = new SharedPayloads(loop.allocator(), options.group());
  }

  /**
   * {@inheritDoc}
   *
   * <p>Whoever is no member any more is still served for as long as this process runs, if it is the
   * one that was known: so it can be told that it was removed.
   */
  @Override
  public void members(Membership membership) {
    InvariantViolation.check(!started || loop.eventLoop().inEventLoop(), "belongs to its loop");
    for (NodeId member : membership.members()) {
      if (!member.equals(policy.identity().node())) {
        meet(member, addresses.of(member, membership.addresses().get(member)));
      }
    }
  }

  private void meet(NodeId member, @Nullable InetSocketAddress address) {
    policy.admit(member);
    if (address != null) {
      callers.remove(member);
      reach(member, address);
    }
  }

  /**
   * A peer's hello was accepted. As long as nobody else says where it is, it is where it says: a
   * leader that took over while this node was away has to be answered.
   */
  private void called(NodeId peer, String says) {
    if (known.containsKey(peer) && !callers.contains(peer)) {
      return;
    }
    InetSocketAddress address = says.isEmpty() ? null : addresses.of(peer, says);
    if (address != null) {
      callers.add(peer);
      reach(peer, address);
    }
  }

  private void reach(NodeId peer, InetSocketAddress address) {
    if (!address.equals(known.put(peer, address)) && context != null && !closed) {
      connect(context, peer, address);
    }
  }

  private void connect(TransportContext with, NodeId member, InetSocketAddress address) {
    PeerLink link = new PeerLink(with, member, address, payloads);
    PeerLink former = links.put(member, link);
    if (former != null) {
      former.close();
    }
    link.open();
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
    TransportContext opening =
        new TransportContext(
            loop, policy, options, clock, random, counters, new WarnLimit(clock), receiver);
    InetSocketAddress address = new InetSocketAddress(listen.getHostString(), listen.getPort());
    PeerListener opened = new PeerListener(opening, this::called);
    listener = opened;
    boundPort = opened.open(address);
    policy.whenGroupIsLearned(opened::endThoseWithoutAMark);
    context = opening;
    known.forEach((peer, at) -> connect(opening, peer, at));
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
  public void send(NodeId to, SnapshotFrame frame) {
    InvariantViolation.check(loop.eventLoop().inEventLoop(), "a transport belongs to its loop");
    PeerLink link = links.get(to);
    if (closed) {
      counters.dropped.increment();
    } else if (link == null) {
      counters.unsendable.increment();
    } else {
      link.send(frame);
    }
  }

  @Override
  public @Nullable Features features(NodeId member) {
    if (member.equals(policy.identity().node())) {
      return policy.features();
    }
    PeerLink link = links.get(member);
    return link == null ? null : link.features();
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
