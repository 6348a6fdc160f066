package io.kvorum.server;

import io.kvorum.api.Header;
import io.kvorum.api.NodeStatus;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

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

  /** The status as clients see it; its endpoint is for them to fill in. */
  NodeStatus of(RaftStatus raft, Header header, long compactRevision) {
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
            raft.last().index(), raft.durableIndex(), raft.commitIndex(), header.appliedIndex()),
        header.revision(),
        compactRevision,
        "sync",
        members,
        problem(raft));
  }

  private Optional<String> problem(RaftStatus raft) {
    if (standing.disownedBy().isPresent()) {
      return standing.disownedBy();
    }
    if (raft.membership().isEmpty()) {
      return Optional.of("waits to be added to a group: kvorum members add");
    }
    if (!raft.membership().isMember(config.nodeId())) {
      return Optional.of("is no member of its group, as far as its log goes");
    }
    return standing.refusedBy();
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
