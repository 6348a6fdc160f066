package io.kvorum.protocol;

import io.kvorum.api.NodeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@link Wire} for what a node says of itself. */
public final class StatusWire {
  private StatusWire() {}

  /**
   * A status as it travels. Its leader has an endpoint when a member of that id has one; the
   * endpoint that was asked does not travel.
   */
  public static StatusResponse toProto(NodeStatus status) {
    StatusResponse.Builder response =
        StatusResponse.newBuilder()
            .setClusterId(status.clusterId())
            .setNodeId(status.nodeId())
            .setVersion(status.version())
            .setRole(status.role())
            .setTerm(status.term())
            .setLastIndex(status.log().last())
            .setDurableIndex(status.log().durable())
            .setCommitIndex(status.log().committed())
            .setAppliedIndex(status.log().applied())
            .setRevision(status.revision())
            .setCompactRevision(status.compactRevision())
            .setSnapshots(
                SnapshotStatus.newBuilder()
                    .setIndex(status.snapshots().index())
                    .setBytes(status.snapshots().bytes())
                    .setLogFirst(status.snapshots().logFirst())
                    .setLogBytes(status.snapshots().logBytes())
                    .setActivity(status.snapshots().activity()))
            .setDisk(
                DiskStatus.newBuilder()
                    .setState(status.disk().state())
                    .setUsableBytes(status.disk().usableBytes())
                    .setLowBytes(status.disk().lowBytes())
                    .setReserve(status.disk().reserve()))
            .setDurability(status.durability())
            .setProblem(status.problem().orElse(""));
    String leader = status.leader().orElse("");
    for (NodeStatus.Member member : status.members()) {
      response.addMembers(
          MemberStatus.newBuilder()
              .setNodeId(member.nodeId())
              .setClientEndpoint(member.endpoint())
              .setRole(MembersWire.toProto(member.role()))
              .setMatchIndex(member.matchIndex())
              .setActive(member.active()));
      if (member.nodeId().equals(leader)) {
        response.getLeaderBuilder().setEndpoint(member.endpoint());
      }
    }
    if (!leader.isEmpty()) {
      response.getLeaderBuilder().setNodeId(leader);
    }
    return response.build();
  }

  /**
   * A status as a client sees it.
   *
   * @param endpoint that was asked
   */
  public static NodeStatus nodeStatus(String endpoint, StatusResponse response) {
    String leader = response.getLeader().getNodeId();
    List<NodeStatus.Member> members = new ArrayList<>(response.getMembersCount());
    for (MemberStatus member : response.getMembersList()) {
      members.add(
          new NodeStatus.Member(
              member.getNodeId(),
              member.getClientEndpoint(),
              MembersWire.role(member.getRole()),
              member.getMatchIndex(),
              member.getActive()));
    }
    return new NodeStatus(
        endpoint,
        response.getClusterId(),
        response.getNodeId(),
        response.getVersion(),
        response.getRole(),
        response.getTerm(),
        leader.isEmpty() ? Optional.empty() : Optional.of(leader),
        new NodeStatus.LogPosition(
            response.getLastIndex(),
            response.getDurableIndex(),
            response.getCommitIndex(),
            response.getAppliedIndex()),
        snapshots(response.getSnapshots()),
        disk(response.getDisk()),
        response.getRevision(),
        response.getCompactRevision(),
        response.getDurability(),
        members,
        Optional.of(response.getProblem()).filter(problem -> !problem.isEmpty()));
  }

  private static NodeStatus.Snapshots snapshots(SnapshotStatus status) {
    return new NodeStatus.Snapshots(
        status.getIndex(),
        status.getBytes(),
        status.getLogFirst(),
        status.getLogBytes(),
        status.getActivity());
  }

  private static NodeStatus.Disk disk(DiskStatus status) {
    return new NodeStatus.Disk(
        status.getState(), status.getUsableBytes(), status.getLowBytes(), status.getReserve());
  }
}
