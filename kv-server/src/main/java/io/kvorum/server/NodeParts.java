package io.kvorum.server;

import io.kvorum.disk.DiskFullException;
import io.kvorum.disk.RealDisk;
import io.kvorum.log.LogArchive;
import io.kvorum.node.Clock;
import io.kvorum.node.DataDirectory;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.node.Features;
import io.kvorum.node.RaftNode;
import io.kvorum.node.SnapshotPorts;
import io.kvorum.node.SystemClock;
import io.kvorum.node.ThreadLane;
import io.kvorum.node.Transport;
import io.kvorum.node.netty.HelloPolicy;
import io.kvorum.node.netty.MemberIdentity;
import io.kvorum.node.netty.NettyLoop;
import io.kvorum.node.netty.NettyTransport;
import io.kvorum.node.netty.TransportOptions;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.server.net.ClientPort;
import io.kvorum.server.net.RequestHandler;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.server.watch.WatchLimits;
import io.kvorum.server.watch.WatchStats;
import io.kvorum.snapshot.SnapshotRefusedException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a running node, wired together, and the order in which they are opened and closed.
 */
final class NodeParts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeParts.class);

  private final ServerConfig config;
  private final Clock clock = new SystemClock();
  private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

  /** What was opened, the last one first: closed in this order. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private final NettyLoop loop;
  private final Roster roster;
  private final Standing standing;
  private final ServingNode serving;

  private NodeParts(ServerConfig config) {
    this.config = config;
    this.roster = new Roster(config);
    this.standing = new Standing(roster, this::disowned);
    boolean complete = false;
    try {
      DataDirectory directory = openDirectory();
      String name = "kvorum-" + config.nodeId();
      final ThreadLane background = opened(new ThreadLane(name + "-files"));
      final ThreadLane watchLane = opened(new ThreadLane(name + "-watch"));
      final ThreadLane worker = opened(new ThreadLane(name + "-worker"));
      final ThreadLane applyLane = opened(new ThreadLane(name + "-apply"));
      final ThreadLane logLane = opened(new ThreadLane(name + "-log"));
      final ThreadLane snapshotLane = opened(new ThreadLane(name + "-snapshot"));
      this.loop = opened(new NettyLoop(config.nodeId(), failure::complete));
      final DurableState durable = openState(directory);
      final KvStateMachine machine = durable.store();
      // Until the node owns them, nobody else would close these.
      opened.push(machine::abandon);
      this.serving =
          ServingNode.open(
              config,
              ServingNode.logConfig(config),
              directory,
              machine,
              new ServingPorts(
                  loop.lane(),
                  logLane,
                  applyLane,
                  worker,
                  watchLane,
                  background::execute,
                  openTransport(directory, machine::usedFeatures),
                  clock,
                  random,
                  machine,
                  WatchLimits.DEFAULT,
                  new ServingPorts.Snapshots(
                      config.snapshots(),
                      new SnapshotPorts(
                          snapshotLane,
                          durable.snapshots(),
                          directory.installMark(),
                          directory.quarantineMark(),
                          openArchive())),
                  failure::complete),
              new GroupView(roster, standing));
      opened.pop();
      opened.push(() -> serving.node().stop().join());
      startServing();
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /** Opens all parts, or closes those that were opened and throws what went wrong. */
  static NodeParts start(ServerConfig config) {
    return new NodeParts(config);
  }

  private <T extends AutoCloseable> T opened(T part) {
    opened.push(part);
    return part;
  }

  private DataDirectory openDirectory() {
    RealDisk disk = RealDisk.at(config.dataDirectory(), config.writeMode());
    DataDirectory directory =
        opened(DataDirectory.open(disk, config.clusterId(), config.nodeId(), random.split()));
    // Before anything else is written: on a full disk there may be a reserve.
    directory.space(config.space());
    return directory;
  }

  private DurableState openState(DataDirectory directory) {
    RocksHome home =
        RocksHome.in(
            directory.stateDirectory(),
            RocksSettings.DEFAULT.withBlockCacheBytes(config.blockCacheBytes()));
    try {
      return DurableState.open(
          directory, home, StoreOptions.DEFAULT, ServingNode.logConfig(config), random.split());
    } catch (DiskFullException full) {
      throw full;
    } catch (SnapshotRefusedException refused) {
      throw new DataDirectoryException(String.valueOf(refused.getMessage()));
    } catch (UncheckedIOException damaged) {
      throw new DataDirectoryException(
          damaged.getMessage()
              + ". The newest snapshot and the log still hold everything: move "
              + directory.stateDirectory().location()
              + " away, and the next start builds the state anew from them");
    }
  }

  private SnapshotPorts.@Nullable Archiving openArchive() {
    ServerConfig.Archive archive = config.archive();
    return archive == null
        ? null
        : new SnapshotPorts.Archiving(
            LogArchive.open(
                RealDisk.at(archive.directory()), config.clusterId(), config.nodeId().name()),
            archive.interval());
  }

  private Transport openTransport(DataDirectory directory, Supplier<Features> used) {
    if (!config.peerPortOpen()) {
      return new RosterTransport(new SoloTransport(), roster);
    }
    MemberIdentity identity =
        new MemberIdentity(
            config.clusterId(), config.nodeId(), directory.incarnation(), config.self().address());
    NettyTransport transport =
        new NettyTransport(
            loop,
            InetSocketAddress.createUnresolved(config.self().host(), config.self().peerPort()),
            this::peerAddress,
            new HelloPolicy(
                identity,
                directory.knownPeers(),
                directory.groupMark(config.initial()),
                standing,
                Features.ALL,
                used),
            TransportOptions.DEFAULT,
            clock,
            random.split());
    // Whoever is configured may call too: a node that joins knows nobody else, and one that was
    // down while all others were replaced knows only who is gone.
    transport.members(config.configured());
    return new RosterTransport(transport, roster);
  }

  private @Nullable InetSocketAddress peerAddress(NodeId peer, @Nullable String address) {
    Member member = roster.member(peer, address);
    return member == null
        ? null
        : InetSocketAddress.createUnresolved(member.host(), member.peerPort());
  }

  private void disowned(DisownedException why) {
    serving.node().failUnlessStopped(why);
  }

  /** Settings that say something else than the group must not go unnoticed. On the loop. */
  private void compareMembers() {
    Membership now = roster.membership();
    if (!now.isEmpty() && !now.members().equals(config.configured().members())) {
      LOG.warn(
          "{} of cluster {}: the group's members are {}, configured are {}; the group's own count."
              + " To change them: kvorum members; then let the setting \"members\" say the same",
          config.nodeId(),
          config.clusterId(),
          now.members(),
          config.configured().members());
    }
    for (NodeId preferred : config.timing().preferredLeaders()) {
      if (!now.isEmpty() && !now.members().contains(preferred)) {
        LOG.warn(
            "preferred-leaders names {}, which is no member; members are {}",
            preferred,
            now.members());
      }
    }
  }

  private void startServing() {
    try {
      serving.node().start().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
    loop.lane().execute(this::compareMembers);
    if (config.clientPortOpen()) {
      ClientPort clientPort =
          opened(
              new ClientPort(serving.handler(), ProtocolLimits.FRAME_BYTES_MAX, failure::complete));
      clientPort.listen(
          loop, new InetSocketAddress(config.self().host(), config.self().clientPort()));
    }
  }

  NettyLoop loop() {
    return loop;
  }

  RaftNode<ApplyResult> node() {
    return serving.node();
  }

  WatchStats watchStats() {
    return serving.watchStats();
  }

  /** As {@link LeaseService#known}. Any thread. */
  CompletableFuture<Integer> leasesKnown() {
    return CompletableFuture.supplyAsync(serving::leasesKnown, loop.lane()::execute);
  }

  RequestHandler service() {
    return serving.handler();
  }

  CompletableFuture<Throwable> failure() {
    return failure;
  }

  @Override
  public void close() {
    IllegalStateException failed = null;
    AutoCloseable part;
    while ((part = opened.poll()) != null) {
      try {
        part.close();
      } catch (Exception notClosed) {
        // The others must still be given back.
        if (failed == null) {
          failed = new IllegalStateException("a part of the node could not be closed", notClosed);
        } else {
          failed.addSuppressed(notClosed);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
