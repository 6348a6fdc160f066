package io.kvorum.server;

import io.kvorum.api.Header;
import io.kvorum.api.NodeStatus;
import io.kvorum.node.FeatureStatus;
import io.kvorum.node.RaftNode;
import io.kvorum.node.Refusal;
import io.kvorum.node.SnapshotStatus;
import io.kvorum.node.SpaceStatus;
import io.kvorum.node.StateStatus;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus;
import io.kvorum.server.store.Space;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Puts together what a node says of itself. */
final class StatusReport {
  private final ServerConfig config;
  private final Roster roster;
  private final Standing standing;

  StatusReport(ServerConfig config, Roster roster, Standing standing) {
    this.config = config;
    this.roster = roster;
    this.standing = standing;
  }

  /**
   * What the node says of itself.
   *
   * @param spaceRefusal why it, a leader, takes nothing that needs space; null if it does
   */
  record Node(
      RaftStatus raft,
      StateStatus state,
      SpaceStatus space,
      @Nullable Refusal spaceRefusal,
      @Nullable SnapshotStatus snapshots,
      List<FeatureStatus> features) {
    static Node of(RaftNode<?> node) {
      return new Node(
          node.status(),
          node.stateStatus(),
          node.spaceStatus(),
          node.spaceRefusal(),
          node.snapshotStatus(),
          node.features());
    }
  }

  /** What the store says of itself. */
  record Store(Header header, long compactRevision, Space space) {}

  /** The status as clients see it; its endpoint is for them to fill in. */
  NodeStatus of(Node node, Store store) {
    RaftStatus raft = node.raft();
    StateStatus state = node.state();
    SnapshotStatus snapshots = node.snapshots();
    List<NodeStatus.Member> members = new ArrayList<>();
    for (NodeId id : roster.ids()) {
      members.add(member(id, raft));
    }
    return new NodeStatus(
        "",
        config.clusterId(),
        config.nodeId().name(),
        Version.current(),
        raft.role().name().toLowerCase(Locale.ROOT),
        raft.term(),
        Optional.ofNullable(raft.leader()).map(NodeId::name),
        new NodeStatus.LogPosition(
            raft.last().index(),
            raft.durableIndex(),
            raft.commitIndex(),
            store.header().appliedIndex()),
        snapshots == null
            ? NodeStatus.Snapshots.NONE
            : new NodeStatus.Snapshots(
                snapshots.newest().index(),
                snapshots.newestBytes(),
                raft.compacted().index() + 1,
                snapshots.logBytes(),
                transfer(snapshots),
                activity(snapshots, state)),
        disk(node.space()),
        store.header().revision(),
        store.compactRevision(),
        SpaceService.use(store.space()),
        "sync",
        members,
        node.features().stream().map(StatusReport::feature).toList(),
        problems(node, store.space()));
  }

  private static NodeStatus.Feature feature(FeatureStatus status) {
    Refusal.Lacking lack = status.lack();
    return new NodeStatus.Feature(
        status.feature().title(), status.isUsed(), lack == null ? "" : missing(lack));
  }

  /** That a member is away is told of each feature alike: in few words. */
  private static String missing(Refusal.Lacking lack) {
    return lack.isReached() ? lack.why() : lack.member() + " is not reached";
  }

  private NodeStatus.Disk disk(SpaceStatus space) {
    return config.space().isOn()
        ? new NodeStatus.Disk(
            space.state().name().toLowerCase(Locale.ROOT),
            space.usableBytes(),
            config.space().lowBytes(),
            space.reserve())
        : NodeStatus.Disk.UNWATCHED;
  }

  private static NodeStatus.Transfer transfer(SnapshotStatus snapshots) {
    SnapshotStatus.Receiving receiving = snapshots.receiving();
    return new NodeStatus.Transfer(
        receiving == null ? 0 : receiving.receivedBytes(),
        receiving == null ? 0 : receiving.bytes(),
        snapshots.sendingTo().stream().map(NodeId::name).toList());
  }

  private static String activity(SnapshotStatus snapshots, StateStatus state) {
    List<String> all = new ArrayList<>();
    SnapshotStatus.Receiving receiving = snapshots.receiving();
    if (receiving != null) {
      all.add(
          String.format(
              Locale.ROOT,
              "receives the snapshot of entry %d from %s, %d of %d MiB",
              receiving.last().index(),
              receiving.from(),
              receiving.receivedBytes() >> 20,
              receiving.bytes() >> 20));
    }
    if (snapshots.installing()) {
      all.add("installs a snapshot");
    }
    if (snapshots.taking()) {
      all.add("takes a snapshot");
    }
    for (NodeId to : snapshots.sendingTo()) {
      all.add("sends a snapshot to " + to);
    }
    if (!state.isQuarantined() && state.divergences() > 0) {
      all.add("has rebuilt its state " + times(state));
    }
    return String.join("; ", all);
  }

  private static String times(StateStatus state) {
    return state.divergences() == 1 ? "once" : state.divergences() + " times";
  }

  private Optional<String> problems(Node node, Space space) {
    List<String> all = new ArrayList<>();
    problem(node).ifPresent(all::add);
    if (node.raft().repairing()) {
      all.add(
          "repairing: its log was damaged and may lack what it has promised to keep; it follows,"
              + " and does not vote until it has all of it again");
    }
    if (node.raft().leader() == null && (node.raft().repairing() || node.state().isQuarantined())) {
      electors(node.raft().membership()).ifPresent(all::add);
    }
    SnapshotStatus snapshots = node.snapshots();
    if (snapshots != null) {
      addProblems(snapshots, all);
    }
    full(space).ifPresent(all::add);
    return all.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", all));
  }

  /** Who could give a node that does not vote the leader that it waits for. */
  private Optional<String> electors(Membership membership) {
    if (!membership.voters().contains(config.nodeId())) {
      return Optional.empty();
    }
    SortedSet<NodeId> others = new TreeSet<>(membership.voters());
    others.remove(config.nodeId());
    int needed = membership.majority();
    return Optional.of(
        others.size() < needed
            ? "nobody can be elected without its vote: the voters are " + membership.voters()
            : ("it waits for a leader: to elect one without this node, %s %s must be up, and vote;"
                    + " if they are, and too many say that they do not, stop all and ask kvorum"
                    + " doctor")
                .formatted(others.size() == needed ? "all of" : needed + " of", others));
  }

  private static void addProblems(SnapshotStatus snapshots, List<String> all) {
    if (snapshots.takeFailure() != null) {
      all.add("it can take no snapshot, and keeps its log: " + snapshots.takeFailure());
    }
    SnapshotStatus.ArchiveFailure failure = snapshots.archiveFailure();
    if (failure != null) {
      all.add(
          String.format(
              Locale.ROOT,
              "the log is not archived since %s: %s; %d MiB of it are kept for that",
              Instant.ofEpochMilli(failure.sinceMillis()),
              failure.why(),
              failure.keptBytes() >> 20));
    }
  }

  private Optional<String> problem(Node node) {
    RaftStatus raft = node.raft();
    StateStatus state = node.state();
    SpaceStatus space = node.space();
    if (standing.disownedBy().isPresent()) {
      return standing.disownedBy();
    }
    if (state.isQuarantined()) {
      return Optional.of(quarantine(state));
    }
    if (space.blocked()) {
      return Optional.of(
          "its disk is full: its log waits for space, and it acknowledges nothing meanwhile");
    }
    if (raft.diskStalled()) {
      return Optional.of("its disk does not answer: until it does, it neither leads nor votes");
    }
    if (node.spaceRefusal() instanceof Refusal.NoSpace full) {
      return Optional.of(
          "puts and grants of leases are refused, everything else goes on: "
              + full.why()
              + (full.othersHave() ? "; another member is about to lead" : ""));
    }
    if (space.isLow()) {
      return Optional.of(
          "its disk has "
              + (space.usableBytes() >> 20)
              + " MiB left, the low mark is "
              + (config.space().lowBytes() >> 20)
              + ": as a leader it would refuse what needs space");
    }
    if (state.alarm() != null) {
      return Optional.of(state.alarm());
    }
    if (raft.membership().isEmpty()) {
      return Optional.of(
          raft.leader() == null
              ? "waits to be added to a group: kvorum members add"
              : "was added, and waits for what it needs to know the members: log or snapshot");
    }
    if (!raft.membership().isMember(config.nodeId())) {
      return Optional.of("is no member of its group, as far as its log goes");
    }
    return standing.refusedBy();
  }

  /** Of least concern: the node itself is well, and the way out is the users' to go. */
  private static Optional<String> full(Space space) {
    if (!space.alarm()) {
      return Optional.empty();
    }
    return Optional.of(
        "the store is full: "
            + space.usedBytes()
            + " of the "
            + space.quotaBytes()
            + " bytes of its quota are used; delete keys and compact (now that would give back "
            + space.reclaimableBytes()
            + "), or raise the quota: kvorum quota. Said until no more than "
            + space.calmBytes()
            + " are used; what fits is executed already");
  }

  private static String quarantine(StateStatus state) {
    String phase =
        switch (state.phase()) {
          case SERVING -> throw new AssertionError("not quarantined");
          case MARKING -> "writes that down";
          case WAITING -> "waits for a leader that has a right one";
          case FETCHING -> "fetches the right one";
          case REBUILDING -> "installs the right one";
        };
    return "quarantined: "
        + state.last()
        + "; it "
        + phase
        + (state.divergences() > 0 ? ". Its state was found to be wrong " + times(state) : "");
  }

  private NodeStatus.Member member(NodeId id, RaftStatus raft) {
    boolean leads = raft.role() == RaftStatus.RoleName.LEADER;
    if (leads && id.equals(raft.self())) {
      return member(id, raft.durableIndex(), true);
    }
    RaftStatus.Progress progress = raft.progress().get(id);
    return progress == null
        ? member(id, 0, false)
        : member(id, progress.matchIndex(), progress.recentActive());
  }

  private NodeStatus.Member member(NodeId id, long matchIndex, boolean active) {
    return new NodeStatus.Member(
        id.name(),
        roster.clientEndpoint(id),
        MembersService.role(id, roster.membership()),
        matchIndex,
        active);
  }
}
