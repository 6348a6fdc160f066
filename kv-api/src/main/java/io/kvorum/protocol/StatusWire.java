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
            .setSnapshots(toProto(status.snapshots()))
            .setSpace(toProto(status.space()))
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
    for (NodeStatus.Feature feature : status.features()) {
      response.addFeatures(
          FeatureStatus.newBuilder()
              .setName(feature.name())
              .setUsed(feature.used())
              .setMissing(feature.missing()));
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
    List<NodeStatus.Feature> features = new ArrayList<>(response.getFeaturesCount());
    for (FeatureStatus feature : response.getFeaturesList()) {
      features.add(
          new NodeStatus.Feature(feature.getName(), feature.getUsed(), feature.getMissing()));
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
        space(response.getSpace()),
        response.getDurability(),
        members,
        features,
        Optional.of(response.getProblem()).filter(problem -> !problem.isEmpty()));
  }

  /** What a store takes, as it travels. */
  public static SpaceUse toProto(io.kvorum.api.SpaceUse space) {
    return SpaceUse.newBuilder()
        .setUsedBytes(space.usedBytes())
        .setQuotaBytes(space.quotaBytes())
        .setReclaimableBytes(space.reclaimableBytes())
        .setFull(space.full())
        .build();
  }

  /** What a store takes, as a client sees it. */
  public static io.kvorum.api.SpaceUse space(SpaceUse space) {
    return new io.kvorum.api.SpaceUse(
        space.getUsedBytes(), space.getQuotaBytes(), space.getReclaimableBytes(), space.getFull());
  }

  private static SnapshotStatus toProto(NodeStatus.Snapshots snapshots) {
    return SnapshotStatus.newBuilder()
        .setIndex(snapshots.index())
        .setBytes(snapshots.bytes())
        .setLogFirst(snapshots.logFirst())
        .setLogBytes(snapshots.logBytes())
        .setActivity(snapshots.activity())
        .setReceivedBytes(snapshots.transfer().receivedBytes())
        .setReceivingBytes(snapshots.transfer().receivingBytes())
        .addAllSendingTo(snapshots.transfer().sendingTo())
        .build();
  }

  private static NodeStatus.Snapshots snapshots(SnapshotStatus status) {
    return new NodeStatus.Snapshots(
        status.getIndex(),
        status.getBytes(),
        status.getLogFirst(),
        status.getLogBytes(),
        new NodeStatus.Transfer(
            status.getReceivedBytes(), status.getReceivingBytes(), status.getSendingToList()),
        status.getActivity());
  }

  private static NodeStatus.Disk disk(DiskStatus status) {
    return new NodeStatus.Disk(
        status.getState(), status.getUsableBytes(), status.getLowBytes(), status.getReserve());
  }
}
