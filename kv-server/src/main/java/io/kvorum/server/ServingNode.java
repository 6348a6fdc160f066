package io.kvorum.server;

import io.kvorum.log.LogConfig;
import io.kvorum.node.DataDirectory;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.node.NodeConfig;
import io.kvorum.node.NodePorts;
import io.kvorum.node.RaftNode;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.node.SpacePorts;
import io.kvorum.raft.LogReader;
import io.kvorum.raft.Membership;
import io.kvorum.raft.RaftConfig;
import io.kvorum.server.net.RequestHandler;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.StoreLimits;
import io.kvorum.server.watch.WatchHub;
import io.kvorum.server.watch.WatchStats;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A node that serves clients, on whatever ports: threads and sockets in production, virtual ones in
 * the simulator. This is the only place where log, core, store and service are put together.
 */
public final class ServingNode {
  private static final int TICKS_PER_HEARTBEAT = 4;

  private final RaftNode<ApplyResult> node;
  private final LogReader log;
  private final KvService service;
  private final WatchHub watches;

  private ServingNode(
      RaftNode<ApplyResult> node, LogReader log, KvService service, WatchHub watches) {
    this.node = node;
    this.log = log;
    this.service = service;
    this.watches = watches;
  }

  /**
   * Opens the log and assembles a node, which does nothing before {@code node().start()}. From then
   * on its stop closes the log, the transport and the state machine; when this throws, the log is
   * closed and the others are the caller's.
   *
   * @param log how the log is kept; {@link #logConfig} unless there is a reason
   * @param directory which the caller closes after the node
   * @param store which {@code ports.stateMachine()} feeds
   */
  public static ServingNode open(
      ServerConfig config,
      LogConfig log,
      DataDirectory directory,
      KvStateMachine store,
      ServingPorts ports) {
    Roster roster = new Roster(config);
    Standing standing = new Standing(roster, why -> {});
    ServingPorts listening = ports.withTransport(new RosterTransport(ports.transport(), roster));
    return open(config, log, directory, store, listening, new GroupView(roster, standing));
  }

  /**
   * As above.
   *
   * @param group which the transport of {@code ports} keeps up to date
   */
  static ServingNode open(
      ServerConfig config,
      LogConfig log,
      DataDirectory directory,
      KvStateMachine store,
      ServingPorts ports,
      GroupView group) {
    Membership origin = directory.origin(config.initial());
    ServingPorts.Snapshots snapshots = ports.snapshots();
    DataDirectory.Opened opened =
        directory.openLog(
            log,
            ports.files(),
            ports.random().split(),
            store.restored(),
            snapshots == null ? null : store.membership());
    WatchHub watches =
        new WatchHub(
            ports.watchLane(),
            ports.loop(),
            store.history(),
            store.header().revision(),
            ports.watchLimits());
    store.feed(watches.feed());
    boolean complete = false;
    try {
      checkReplayable(directory, opened.log(), store);
      RaftNode<ApplyResult> node =
          new RaftNode<>(
              nodeConfig(config, origin, snapshots),
              new NodePorts<>(
                  ports.clock(),
                  ports.loop(),
                  ports.logLane(),
                  ports.applyLane(),
                  ports.transport(),
                  ports.stateMachine(),
                  opened.log(),
                  opened.voteFile(),
                  ports.random().split(),
                  snapshots == null ? null : snapshots.ports(),
                  new SpacePorts(directory.space(config.space()), ports.files()),
                  failure -> {
                    // Their clients go on elsewhere, while this process may take its time to end.
                    watches.stop();
                    ports.failed().accept(failure);
                  }));
      KvService service = new KvService(config, node, store, watches, group, ports);
      service.start();
      complete = true;
      return new ServingNode(node, opened.log(), service, watches);
    } finally {
      if (!complete) {
        opened.log().close();
        opened.voteFile().close();
      }
    }
  }

  /** Both are whole, but do not meet: files of one of them are missing. */
  private static void checkReplayable(
      DataDirectory directory, LogReader log, KvStateMachine store) {
    if (log.compacted().index() > store.restored().index()) {
      throw new DataDirectoryException(
          directory.stateDirectory().location()
              + " holds the state up to entry "
              + store.restored().index()
              + ", but the log beside it begins after entry "
              + log.compacted().index()
              + ": segments of the log, or the newer state, are missing. Bring them back");
    }
  }

  /** The log as this configuration wants it. */
  public static LogConfig logConfig(ServerConfig config) {
    return LogConfig.DEFAULT
        .withSegmentBytes(config.segmentBytes())
        .withEntryBytesMax(StoreLimits.COMMAND_BYTES_MAX);
  }

  private static NodeConfig nodeConfig(
      ServerConfig config, Membership origin, ServingPorts.@Nullable Snapshots snapshots) {
    long tickNanos = config.heartbeat().toNanos() / TICKS_PER_HEARTBEAT;
    RaftConfig raft =
        RaftConfig.builder(config.nodeId())
            .electionTicks(
                Math.toIntExact(
                    Math.max(
                        TICKS_PER_HEARTBEAT + 1L, config.electionTimeout().toNanos() / tickNanos)))
            .heartbeatTicks(TICKS_PER_HEARTBEAT)
            .appendEntriesMax(config.sending().entriesMax())
            .inflightMessagesMax(config.sending().messagesMax())
            .leaseReads(config.timing().leaseReads())
            .preferredLeaders(config.timing().preferredLeaders())
            .quiesceTicks(
                Math.toIntExact(
                    (config.timing().quietAfter().toNanos() + tickNanos - 1) / tickNanos))
            .build();
    return new NodeConfig(
        raft,
        origin,
        Duration.ofNanos(tickNanos),
        snapshots == null ? SnapshotConfig.NEVER : snapshots.config());
  }

  /** The member of the group. */
  public RaftNode<ApplyResult> node() {
    return node;
  }

  /** The node's log, to look at. */
  public LogReader log() {
    return log;
  }

  /** Where the requests of clients go, on the loop. */
  public RequestHandler handler() {
    return service;
  }

  /** As {@link LeaseService#known}. */
  int leasesKnown() {
    return service.leasesKnown();
  }

  /** What its watches come to. Any thread. */
  public WatchStats watchStats() {
    return watches.stats();
  }
}
