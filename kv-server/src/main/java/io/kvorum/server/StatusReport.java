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

  StatusReport(ServerConfig config) {
    this.config = config;
  }

  /** The status as clients see it; its endpoint is for them to fill in. */
  NodeStatus of(RaftStatus raft, Header header, long compactRevision) {
    List<NodeStatus.Member> members = new ArrayList<>();
    for (Member member : config.members()) {
      members.add(member(member, raft));
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
        members);
  }

  private NodeStatus.Member member(Member member, RaftStatus raft) {
    boolean leads = raft.role() == RaftStatus.RoleName.LEADER;
    if (leads && member.id().equals(raft.self())) {
      return member(member, raft.durableIndex(), true);
    }
    RaftStatus.Progress progress = raft.progress().get(member.id());
    return progress == null
        ? member(member, 0, false)
        : member(member, progress.matchIndex(), progress.recentActive());
  }

  private static NodeStatus.Member member(Member member, long matchIndex, boolean active) {
    return new NodeStatus.Member(member.id().name(), member.clientEndpoint(), matchIndex, active);
  }
}
