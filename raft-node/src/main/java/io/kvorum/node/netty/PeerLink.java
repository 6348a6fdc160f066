package io.kvorum.node.netty;

import io.kvorum.node.Features;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.raft.Entry;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.NodeId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The way to one peer: keeps a connection to it, or tries to. Messages that find none are dropped,
 * since the protocol repeats what matters.
 */
final class PeerLink {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

  /** A connection that held for this long counts as success: the next attempt comes soon. */
  private static final long HELD_NANOS_MIN = 1_000_000_000;

  /** A peer may start so many attempts later than this node: about ten seconds. */
  private static final int STARTING_ATTEMPTS = 16;

  private final TransportContext context;
  private final NodeId peer;
  private final InetSocketAddress address;
  private final SharedPayloads payloads;
  private final Backoff backoff;
  private int attempts;
  private boolean wasConnected;
  private boolean closed;
  private @Nullable OutboundConnection connection;
  private @Nullable String lastProblem;

  /**
   * The way to a peer.
   *
   * @param address whose host is looked up for each attempt
   */
  PeerLink(
      TransportContext context, NodeId peer, InetSocketAddress address, SharedPayloads payloads) {
    this.context = context;
    this.peer = peer;
    this.address = address;
    this.payloads = payloads;
    this.backoff = new Backoff(context.random());
  }

  NodeId peer() {
    return peer;
  }

  /** Makes an attempt to connect; whenever one ends, the next one is scheduled. */
  void open() {
    if (closed) {
      return;
    }
    if (attempts > 0) {
      context.counters().reconnects.increment();
    }
    NameLookup.lookUp(
        address,
        attempts++,
        "kvorum-" + context.self() + "-lookup",
        context.loop().lane(),
        this::lookedUp);
  }

  private void lookedUp(@Nullable InetSocketAddress found, @Nullable Throwable failure) {
    if (closed) {
      return;
    }
    if (found == null) {
      problem("lookup", "its address " + address + " is not found: " + failure);
      retry();
      return;
    }
    try {
      connection = new OutboundConnection(context, this);
    } catch (ChannelException noSocket) {
      // Out of file handles, most likely: nothing that another attempt could not find better.
      problem("socket", noSocket.toString());
      retry();
      return;
    }
    connection.open(found);
  }

  private void retry() {
    context.loop().lane().schedule(this::open, backoff.nextNanos());
  }

  /** The peer has accepted the hello. */
  void connected() {
    lastProblem = null;
    wasConnected = true;
    LOG.debug("{} is connected to {}", context.self(), peer);
  }

  /** Says once what is wrong, until something else is or all is well again. */
  void problem(String kind, String text) {
    say(Level.WARN, kind, text);
  }

  /** As {@link #problem}, of what belongs to a good start. */
  void notYet(String kind, String text) {
    say(Level.INFO, kind, text);
  }

  private void say(Level level, String kind, String text) {
    if (!kind.equals(lastProblem)) {
      lastProblem = kind;
      LOG.atLevel(level)
          .log(
              "{} does not reach {} at {}:{}: {}",
              context.self(),
              peer,
              address.getHostString(),
              address.getPort(),
              text);
    }
  }

  /** This connection is no more. */
  void ended(
      OutboundConnection ended, boolean established, long heldNanos, @Nullable Throwable cause) {
    if (ended != connection) {
      return;
    }
    connection = null;
    if (heldNanos >= HELD_NANOS_MIN) {
      backoff.reset();
    }
    if (cause != null) {
      failed(cause);
    }
    retry();
    if (established) {
      context.receiver().unreachable(peer);
    }
  }

  private void failed(Throwable cause) {
    String kind = cause.getClass().getName();
    if (!(cause instanceof ConnectException)) {
      problem(kind, cause.toString());
    } else if (!wasConnected && attempts < STARTING_ATTEMPTS) {
      // Nodes are started one after another.
      notYet("not started", "nobody listens there yet; it tries again");
    } else {
      problem(kind, "nobody listens there; it tries again");
    }
  }

  /** Queues a message, or drops and counts it. */
  void send(Envelope envelope) {
    List<Entry> entries = PeerCodec.entries(envelope.message());
    OutboundConnection way = connection;
    if (way == null || !way.admits(entries.isEmpty())) {
      context.counters().dropped.increment();
      return;
    }
    long payloadBytes = AppendPayload.bytes(entries);
    if (!fits(payloadBytes, "entries")) {
      return;
    }
    int bytes = (int) payloadBytes;
    ByteBuf head =
        PeerCodec.encode(context.loop().allocator(), context.options().group(), envelope, bytes);
    way.write(head, entries.isEmpty() ? null : payloads.of(entries, bytes));
  }

  /**
   * Queues a frame, or drops and counts it; drops it if the peer is of a version that does not know
   * it, and would take it for bad bytes.
   */
  void send(SnapshotFrame frame) {
    OutboundConnection way = connection;
    byte[] payload = SnapshotCodec.payload(frame);
    boolean isSmall = payload.length == 0;
    Features features = features();
    if (way == null || features == null || !way.admits(isSmall)) {
      context.counters().dropped.increment();
      return;
    }
    if (!features.has(SnapshotCodec.feature(frame))) {
      context.counters().unsendable.increment();
      if (context.warnings().allows("snapshots " + peer)) {
        LOG.warn(
            "{} cannot send {} frames about snapshots or states, which its version does not"
                + " take: update it",
            context.self(),
            peer);
      }
      return;
    }
    if (fits(payload.length, "a snapshot's manifest")) {
      ByteBuf head = PeerCodec.encode(context.loop().allocator(), context.options().group(), frame);
      way.write(head, isSmall ? null : Unpooled.wrappedBuffer(payload));
    }
  }

  private boolean fits(long payloadBytes, String what) {
    int frameBytesMax = context.options().frameBytesMax();
    if (payloadBytes <= frameBytesMax - PeerCodec.HELLO_FRAME_BYTES_MAX) {
      return true;
    }
    context.counters().unsendable.increment();
    if (context.warnings().allows("oversize " + peer)) {
      LOG.warn(
          "{} cannot send {} bytes of {} to {}: the limit of a frame is {}",
          context.self(),
          payloadBytes,
          what,
          peer,
          frameBytesMax);
    }
    return false;
  }

  /** What the peer has announced on the connection that is up; null if there is none. */
  @Nullable Features features() {
    return connection == null ? null : connection.features();
  }

  void flush() {
    if (connection != null) {
      connection.flush();
    }
  }

  /** Bytes that wait for the socket. */
  long waitingBytes() {
    return connection == null ? 0 : connection.waitingBytes();
  }

  /** Closes the connection at once, and makes no other. */
  void close() {
    closed = true;
    if (connection != null) {
      connection.abandon();
      connection = null;
    }
  }
}
