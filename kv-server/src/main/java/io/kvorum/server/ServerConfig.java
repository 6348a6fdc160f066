package io.kvorum.server;

import io.kvorum.disk.WriteMode;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.node.SpaceConfig;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node, embedded or a process of its own.
 *
 * @param nodeId this node; one of {@code members}
 * @param clusterId of the cluster; 1 to 64 characters of {@code a-z A-Z 0-9 . _ -}
 * @param dataDirectory everything the node remembers; made if it does not exist
 * @param members this node, and whom it knows: all members that a new cluster begins with, or, of a
 *     node that joins, those that are there already. Once the data directory exists the group's own
 *     membership counts, and these only say where members are whose address it does not know
 * @param join whether a new data directory waits to be added to a group that exists
 * @param clientPortOpen whether remote clients are served
 * @param peerPortOpen whether other members can reach this node; else it is a cluster of one for
 *     good
 * @param electionTimeout silence of the leader after which another is elected, at least; at most
 *     twice that
 * @param heartbeat between two messages of an idle leader
 * @param segmentBytes size of a file of the log
 * @param writeMode how the log is written
 * @param blockCacheBytes of RocksDB
 * @param sending how much is sent to another member at a time
 * @param timing what else decides when members speak and whom they follow
 * @param retention how much history is kept
 * @param snapshots when snapshots are taken, and how much of the log stays behind them
 * @param space how full the disk may become
 * @param archive where the log goes before it is cut; null: nowhere
 */
public record ServerConfig(
    NodeId nodeId,
    String clusterId,
    Path dataDirectory,
    List<Member> members,
    boolean join,
    boolean clientPortOpen,
    boolean peerPortOpen,
    Duration electionTimeout,
    Duration heartbeat,
    int segmentBytes,
    WriteMode writeMode,
    long blockCacheBytes,
    Sending sending,
    Timing timing,
    Retention retention,
    SnapshotConfig snapshots,
    SpaceConfig space,
    @Nullable Archive archive) {

  /**
   * Where the log goes before it is cut.
   *
   * @param directory for all nodes and clusters, each of which has a place of its own in it
   * @param interval what was written is there after this time, at the latest
   */
  public record Archive(Path directory, Duration interval) {
    public Archive {
      check(
          interval.toMillis() >= 10 && interval.toDays() < 1,
          "what was written is archived after 10 ms at the least, and within a day");
    }
  }

  /**
   * How the log goes to another member.
   *
   * @param entriesMax in one message
   * @param messagesMax with entries that are under way to one member
   */
  public record Sending(int entriesMax, int messagesMax) {
    public static final Sending DEFAULT = new Sending(256, 64);

    public Sending {
      check(entriesMax > 0, "a message must be able to carry an entry");
      check(messagesMax > 0, "a message must be able to be under way");
    }
  }

  /**
   * The same on all members.
   *
   * @param leaseReads whether the leader keeps a lease, from which it answers reads of {@link
   *     io.kvorum.api.ReadConsistency#LEASE} without a message; then a leader that dies is replaced
   *     only when its lease is over, after the election timeout
   * @param preferredLeaders who should lead, best first; a leader hands over to a better one that
   *     has kept up. Empty: nobody
   * @param quietAfter idleness after which the group stops its heartbeats; zero: never
   */
  public record Timing(boolean leaseReads, List<NodeId> preferredLeaders, Duration quietAfter) {
    public static final Timing DEFAULT = new Timing(false, List.of(), Duration.ZERO);

    public Timing {
      preferredLeaders = List.copyOf(preferredLeaders);
      check(!quietAfter.isNegative(), "the time before a group goes quiet is negative");
    }

    public Timing withLeaseReads(boolean leases) {
      return new Timing(leases, preferredLeaders, quietAfter);
    }

    public Timing withPreferredLeaders(List<NodeId> bestFirst) {
      return new Timing(leaseReads, bestFirst, quietAfter);
    }

    public Timing withQuietAfter(Duration idle) {
      return new Timing(leaseReads, preferredLeaders, idle);
    }
  }

  public ServerConfig {
    members = List.copyOf(members);
    new NodeId(clusterId);
    SortedSet<NodeId> ids = new TreeSet<>();
    SortedSet<String> addresses = new TreeSet<>();
    for (Member member : members) {
      check(ids.add(member.id()), "member " + member.id() + " is named twice");
      boolean first = addresses.add(member.host() + ":" + member.clientPort());
      boolean second = addresses.add(member.host() + ":" + member.peerPort());
      check(
          first && second,
          "member " + member.id() + " names a host and port that stand there already");
    }
    check(ids.contains(nodeId), "node-id " + nodeId + " is not among the members " + ids);
    check(
        !join || members.size() > 1,
        "to join, a node needs the present members beside itself among members");
    check(peerPortOpen || members.size() == 1, "members need a peer port to reach each other");
    check(members.size() <= 9, "a cluster has at most 9 members, not " + members.size());
    check(
        electionTimeout.toMillis() > 10,
        "election timeout must be above 10 ms, was " + electionTimeout.toMillis() + " ms");
    check(
        heartbeat.toMillis() >= 10 && heartbeat.compareTo(electionTimeout) < 0,
        "heartbeat must be at least 10 ms and below the election timeout of "
            + electionTimeout.toMillis()
            + " ms, was "
            + heartbeat.toMillis()
            + " ms");
    check(electionTimeout.toMinutes() < 10, "election timeout must be below 10 minutes");
    check(
        segmentBytes >= 8 << 20 && segmentBytes <= 1 << 30,
        "segment size must be 8 MiB to 1 GiB, was " + segmentBytes);
    check(blockCacheBytes >= 1 << 20, "block cache must be at least 1 MiB");
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }

  /** A cluster of one in this process, without any port: for embedded use and tests. */
  public static Builder embedded(Path dataDirectory) {
    return new Builder(dataDirectory);
  }

  /** This node's own entry among the members. */
  public Member self() {
    return Objects.requireNonNull(member(nodeId));
  }

  /** Where that node is, by these settings; null if they do not say. */
  @Nullable Member member(NodeId id) {
    for (Member member : members) {
      if (member.id().equals(id)) {
        return member;
      }
    }
    return null;
  }

  /** Those among {@link #members}, all as voters. */
  public Membership configured() {
    return Membership.of(members.stream().map(Member::id).toList());
  }

  /** What a new data directory begins with. */
  public Membership initial() {
    return join ? Membership.EMPTY : configured();
  }

  /** Collects settings; each has a default. */
  public static final class Builder {
    private final Path dataDirectory;
    private NodeId nodeId = new NodeId("n1");
    private String clusterId = "kvorum";
    private List<Member> members = List.of();
    private boolean join;
    private boolean clientPortOpen;
    private Duration electionTimeout = Duration.ofMillis(500);
    private Duration heartbeat = Duration.ofMillis(100);
    private int segmentBytes = 64 << 20;
    private WriteMode writeMode = WriteMode.CHANNEL;
    private long blockCacheBytes = 64L << 20;
    private Sending sending = Sending.DEFAULT;
    private Timing timing = Timing.DEFAULT;
    private Retention retention = Retention.DEFAULT;
    private SnapshotConfig snapshots = SnapshotConfig.DEFAULT;
    private @Nullable SpaceConfig space;
    private @Nullable Archive archive;

    private Builder(Path dataDirectory) {
      this.dataDirectory = dataDirectory;
    }

    public Builder nodeId(String id) {
      nodeId = new NodeId(id);
      return this;
    }

    public Builder clusterId(String id) {
      clusterId = id;
      return this;
    }

    /**
     * All members, this node too. None means a cluster of this node alone, for good: it opens no
     * port for others. One that is named can grow.
     */
    public Builder members(List<Member> all) {
      members = List.copyOf(all);
      return this;
    }

    /**
     * Whether a new data directory waits to be added to a group that exists; the members are then
     * those that are there already, and this node. In a directory that exists it means nothing.
     */
    public Builder join(boolean wait) {
      join = wait;
      return this;
    }

    /**
     * Whether remote clients are served on this node's client port; always in a cluster of several,
     * whose members forward to each other.
     */
    public Builder clientPortOpen(boolean open) {
      clientPortOpen = open;
      return this;
    }

    public Builder electionTimeout(Duration timeout) {
      electionTimeout = timeout;
      return this;
    }

    public Builder heartbeat(Duration between) {
      heartbeat = between;
      return this;
    }

    public Builder segmentBytes(int bytes) {
      segmentBytes = bytes;
      return this;
    }

    public Builder writeMode(WriteMode mode) {
      writeMode = mode;
      return this;
    }

    public Builder blockCacheBytes(long bytes) {
      blockCacheBytes = bytes;
      return this;
    }

    public Builder sending(Sending how) {
      sending = how;
      return this;
    }

    public Builder timing(Timing how) {
      timing = how;
      return this;
    }

    public Builder retention(Retention kept) {
      retention = kept;
      return this;
    }

    public Builder snapshots(SnapshotConfig how) {
      snapshots = how;
      return this;
    }

    /** By default {@link SpaceConfig#of} the segments' size. */
    public Builder space(SpaceConfig marks) {
      space = marks;
      return this;
    }

    /** Null: none. */
    public Builder archive(@Nullable Archive where) {
      archive = where;
      return this;
    }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException naming the rule that they break
     */
    public ServerConfig build() {
      List<Member> all =
          members.isEmpty() ? List.of(new Member(nodeId, "127.0.0.1", 7400, 7500)) : members;
      return new ServerConfig(
          nodeId,
          clusterId,
          dataDirectory,
          all,
          join,
          clientPortOpen || all.size() > 1,
          !members.isEmpty(),
          electionTimeout,
          heartbeat,
          segmentBytes,
          writeMode,
          blockCacheBytes,
          sending,
          timing,
          retention,
          snapshots,
          space == null ? SpaceConfig.of(segmentBytes) : space,
          archive);
    }
  }
}
