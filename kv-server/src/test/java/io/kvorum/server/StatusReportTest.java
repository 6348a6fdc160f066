package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Header;
import io.kvorum.api.NodeStatus;
import io.kvorum.node.Divergence;
import io.kvorum.node.Feature;
import io.kvorum.node.FeatureStatus;
import io.kvorum.node.Refusal;
import io.kvorum.node.SnapshotStatus;
import io.kvorum.node.SpaceStatus;
import io.kvorum.node.StateStatus;
import io.kvorum.node.StateSum;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus;
import io.kvorum.server.store.Space;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a person is told to look at. */
class StatusReportTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final StateStatus QUARANTINED =
      new StateStatus(
          StateStatus.Phase.WAITING,
          1,
          new Divergence(70, new StateSum(60, 1, "aa"), new StateSum(60, 1, "bb")),
          null);

  private static NodeStatus report(
      boolean repairing,
      SnapshotStatus.@Nullable ArchiveFailure failure,
      List<FeatureStatus> features) {
    return report(repairing, failure, features, null);
  }

  private static NodeStatus report(
      boolean repairing,
      SnapshotStatus.@Nullable ArchiveFailure failure,
      List<FeatureStatus> features,
      @Nullable Refusal spaceRefusal) {
    RaftStatus raft = raft(repairing, Membership.of(Set.of(N1)), null);
    return report(raft, StateStatus.NONE, failure, features, spaceRefusal);
  }

  private static RaftStatus raft(
      boolean repairing, Membership membership, @Nullable NodeId leader) {
    return new RaftStatus(
        N1,
        RaftStatus.RoleName.FOLLOWER,
        3,
        leader,
        new EntryId(9, 3),
        9,
        9,
        9,
        membership,
        false,
        EntryId.ZERO,
        0,
        0,
        false,
        null,
        repairing,
        false,
        new TreeMap<>());
  }

  private static NodeStatus report(
      RaftStatus raft,
      StateStatus state,
      SnapshotStatus.@Nullable ArchiveFailure failure,
      List<FeatureStatus> features,
      @Nullable Refusal spaceRefusal) {
    ServerConfig config = ServerConfig.embedded(Path.of("unused")).build();
    Roster roster = new Roster(config);
    SnapshotStatus snapshots =
        new SnapshotStatus(EntryId.ZERO, 0, 1, false, null, false, null, failure, new TreeSet<>());
    return new StatusReport(config, roster, new Standing(roster, why -> {}))
        .of(
            new StatusReport.Node(
                raft, state, SpaceStatus.UNWATCHED, spaceRefusal, snapshots, features),
            new StatusReport.Store(new Header(1, 3, 9, 0), 0, Space.EMPTY));
  }

  @Test
  void ofAHealthyNodeThereIsNothing() {
    assertThat(report(false, null, List.of()).problem()).isEmpty();
  }

  @Test
  void aNodeUnderRepairSaysThatItDoesNotVote() {
    assertThat(report(true, null, List.of()).problem())
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("repairing: ").contains("does not vote"));
  }

  private static String problem(RaftStatus raft, StateStatus state) {
    return report(raft, state, null, List.of(), null).problem().orElse("");
  }

  /** The log that names the members may take long to come. */
  @Test
  void whoJoinsSaysWhetherItWasAdded() {
    assertThat(problem(raft(false, Membership.EMPTY, null), StateStatus.NONE))
        .isEqualTo("waits to be added to a group: kvorum members add");
    assertThat(problem(raft(false, Membership.EMPTY, new NodeId("n2")), StateStatus.NONE))
        .startsWith("was added, and waits for what it needs to know the members");
  }

  /** In a group of three both others are needed, which surprises: two of three are up. */
  @Test
  void whoDoesNotVoteAndHasNoLeaderSaysWhoCouldElectOne() {
    NodeId n2 = new NodeId("n2");
    NodeId n3 = new NodeId("n3");
    Membership three = Membership.of(Set.of(N1, n2, n3));
    String both = "; it waits for a leader: to elect one without this node, all of [n2, n3] must";
    assertThat(problem(raft(true, three, null), StateStatus.NONE)).contains(both);
    assertThat(problem(raft(true, three, n2), StateStatus.NONE))
        .contains("repairing")
        .doesNotContain("waits");
    assertThat(problem(raft(false, three, null), StateStatus.NONE)).isEmpty();
    Membership five = Membership.of(Set.of(N1, n2, n3, new NodeId("n4"), new NodeId("n5")));
    assertThat(problem(raft(true, five, null), StateStatus.NONE))
        .contains("without this node, 3 of [n2, n3, n4, n5] must be up");

    assertThat(problem(raft(false, three, null), QUARANTINED)).contains("quarantined: ", both);
    assertThat(problem(raft(false, Membership.of(Set.of(N1, n2)), null), QUARANTINED))
        .contains("; nobody can be elected without its vote: the voters are [n1, n2]");
  }

  @Test
  void anArchiveThatFailsSaysWhySinceWhenAndWhatItCosts() {
    var failure = new SnapshotStatus.ArchiveFailure("the disk is full", 1_000, 130L << 20);
    assertThat(report(false, failure, List.of()).problem())
        .contains(
            "the log is not archived since 1970-01-01T00:00:01Z: the disk is full; 130 MiB of it"
                + " are kept for that");
    assertThat(report(true, failure, List.of()).problem())
        .hasValueSatisfying(
            text -> assertThat(text).contains("repairing: ").contains("; the log is not archived"));
  }

  @Test
  void aFeatureThatNotAllHaveNamesWhoLacksIt() {
    NodeId n3 = new NodeId("n3");
    List<FeatureStatus> features =
        List.of(
            new FeatureStatus(Feature.SNAPSHOTS, true, null),
            new FeatureStatus(
                Feature.STATE_CHECKS, false, new Refusal.Lacking(Feature.STATE_CHECKS, n3, true)),
            new FeatureStatus(Feature.QUOTA, false, new Refusal.Lacking(Feature.QUOTA, n3, false)));
    assertThat(report(false, null, features).features())
        .containsExactly(
            new NodeStatus.Feature("snapshots", true, ""),
            new NodeStatus.Feature(
                "state-checks", false, "the version of n3 does not know state-checks: update it"),
            new NodeStatus.Feature("quota", false, "n3 is not reached"));
  }

  @Test
  void aLeaderThatRefusesPutsSaysSoAlsoIfItsOwnDiskIsWell() {
    var others = new Refusal.NoSpace("too many voters have little: [n2, n3]", false);
    assertThat(report(false, null, List.of(), others).problem())
        .hasValue(
            "puts and grants of leases are refused, everything else goes on: too many voters have"
                + " little: [n2, n3]");
  }
}
