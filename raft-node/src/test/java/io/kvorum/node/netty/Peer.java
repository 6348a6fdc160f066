package io.kvorum.node.netty;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.node.Features;
import io.kvorum.node.GroupMark;
import io.kvorum.node.KnownPeers;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.SystemClock;
import io.kvorum.node.Transport;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.testkit.Await;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGeneratorFactory;

/** A transport on a loop of its own, and what was called back. */
final class Peer implements AutoCloseable, Transport.Receiver {
  static final Duration BOUND = Duration.ofSeconds(20);
  static final String CLUSTER = "c1";
  static final NodeId N1 = new NodeId("n1");
  static final NodeId N2 = new NodeId("n2");
  static final NodeId N3 = new NodeId("n3");

  static {
    Leaks.watch();
  }

  final NodeId self;
  final NettyLoop loop;
  final NettyTransport transport;
  final List<Envelope> received = new CopyOnWriteArrayList<>();
  final List<SnapshotFrame> frames = new CopyOnWriteArrayList<>();
  final List<NodeId> unreachable = new CopyOnWriteArrayList<>();
  final List<Throwable> failures = new CopyOnWriteArrayList<>();
  final List<String> strayThreads = new CopyOnWriteArrayList<>();

  private Peer(Setting setting) {
    self = setting.self;
    loop = new NettyLoop(self, failures::add, setting.epoll);
    transport =
        new NettyTransport(
            loop,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), setting.port),
            (peer, address) -> address == null ? setting.peers.get(peer) : loopback(address),
            new HelloPolicy(
                new MemberIdentity(setting.cluster, self, setting.incarnation),
                KnownPeers.read(setting.disk),
                setting.mark(),
                (peer, refusal) -> {
                  // The link has logged it.
                },
                setting.features,
                () -> setting.used),
            setting.options,
            new SystemClock(),
            RandomGeneratorFactory.of("L64X128MixRandom").create(7));
    transport.members(Membership.of(List.of(N1, N2, N3)));
  }

  /** What differs between peers of tests. */
  static final class Setting {
    private final NodeId self;
    private final SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(7));
    private final Map<NodeId, InetSocketAddress> peers = new HashMap<>();
    private int port;
    private String cluster = CLUSTER;
    private long incarnation;
    private long group = GroupMark.UNKNOWN;
    private boolean epoll = Epoll.isAvailable();
    private TransportOptions options = TransportOptions.DEFAULT;
    private Features features = Features.ALL;
    private volatile Features used = Features.NONE;

    Setting(NodeId self) {
      this.self = self;
      this.incarnation = self.name().hashCode();
    }

    Setting port(int port) {
      this.port = port;
      return this;
    }

    Setting cluster(String cluster) {
      this.cluster = cluster;
      return this;
    }

    Setting incarnation(long incarnation) {
      this.incarnation = incarnation;
      return this;
    }

    /** Confirmed to be of this group. */
    Setting group(long group) {
      this.group = group;
      return this;
    }

    private GroupMark mark() {
      GroupMark mark = GroupMark.read(disk);
      mark.confirm(group);
      return mark;
    }

    Setting nio() {
      this.epoll = false;
      return this;
    }

    /** What it announces, and what it knows its group to use. */
    Setting features(Features has, Features uses) {
      this.features = has;
      this.used = uses;
      return this;
    }

    Setting options(TransportOptions options) {
      this.options = options;
      return this;
    }

    Setting dials(NodeId peer, int port) {
      return dials(peer, "127.0.0.1", port);
    }

    Setting dials(NodeId peer, String host, int port) {
      peers.put(peer, InetSocketAddress.createUnresolved(host, port));
      return this;
    }

    Peer start() {
      Peer peer = make();
      peer.transport.start(peer);
      return peer;
    }

    Peer make() {
      return new Peer(this);
    }
  }

  static Setting of(NodeId self) {
    return new Setting(self);
  }

  private static InetSocketAddress loopback(String port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  /** A port that was free a moment ago. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void received(Envelope envelope) {
    noteThread();
    received.add(envelope);
  }

  @Override
  public void received(NodeId from, SnapshotFrame frame) {
    noteThread();
    frames.add(frame);
  }

  @Override
  public void unreachable(NodeId peer) {
    noteThread();
    unreachable.add(peer);
  }

  private void noteThread() {
    if (!loop.eventLoop().inEventLoop()) {
      strayThreads.add(Thread.currentThread().getName());
    }
  }

  int port() {
    return transport.boundPort();
  }

  TransportStats stats() {
    return transport.stats();
  }

  /** Runs on the loop and waits for it. */
  void onLoop(Runnable task) {
    onLoop(
        () -> {
          task.run();
          return true;
        });
  }

  <T> T onLoop(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, loop.eventLoop()).join();
  }

  /** Sends messages to one peer in one turn of the loop. */
  void send(NodeId to, long term, Message... messages) {
    onLoop(
        () -> {
          for (Message message : messages) {
            transport.send(new Envelope(self, to, term, message));
          }
          transport.flush();
        });
  }

  /** Sends a heartbeat, again and again while it is dropped, until one has arrived there. */
  void reach(Peer other) {
    int before = other.received.size();
    AtomicLong dropped = new AtomicLong(-1);
    await(
        self + " reaches " + other.self,
        () -> {
          long now = stats().dropped();
          if (dropped.getAndSet(now) != now) {
            send(other.self, 1, heartbeat(0));
          }
          return other.received.size() > before;
        });
  }

  static Message.AppendEntries heartbeat(long round) {
    return new Message.AppendEntries(EntryId.ZERO, List.of(), 0, round);
  }

  static Message.AppendEntries append(long prevIndex, Entry... entries) {
    EntryId prev = prevIndex == 0 ? EntryId.ZERO : new EntryId(prevIndex, 1);
    return new Message.AppendEntries(prev, List.of(entries), 0, 0);
  }

  static Entry entry(long index, int bytes) {
    byte[] payload = new byte[bytes];
    java.util.Arrays.fill(payload, (byte) index);
    return new Entry(index, 1, EntryType.COMMAND, payload);
  }

  static void await(String what, BooleanSupplier condition) {
    Await.until(what, BOUND, condition::getAsBoolean);
  }

  @Override
  public void close() {
    transport.close();
    loop.close();
    if (!failures.isEmpty() || !strayThreads.isEmpty()) {
      throw new AssertionError(
          self + " failed, or was called back elsewhere: " + strayThreads,
          failures.isEmpty() ? null : failures.get(0));
    }
  }
}
