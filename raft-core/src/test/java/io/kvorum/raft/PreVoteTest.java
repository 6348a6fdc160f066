package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import org.junit.jupiter.api.Test;

/** The thesis' §9.6, "Preventing disruptions when a server rejoins the cluster". */
class PreVoteTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");

  @Test
  void preVoteChangesNothing() {
    TestCluster cluster = TestCluster.of(3);
    cluster.step(preVote(7, EntryId.ZERO));
    assertThat(cluster.sent).hasSize(1);
    assertThat(cluster.sent.get(0))
        .isEqualTo(new Envelope(N1, N2, 7, new Message.RequestVoteResponse(true, true)));
    assertThat(cluster.core("n1").term()).isZero();
    assertThat(cluster.node("n1").disk.hardState()).isEqualTo(HardState.INITIAL);
  }

  @Test
  void refusalCarriesTheOwnTerm() {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n1", new HardState(4, null), 4);
    cluster.step(preVote(9, new EntryId(5, 3)));
    cluster.step(preVote(3, new EntryId(5, 4)));
    assertThat(cluster.sent)
        .containsOnly(new Envelope(N1, N2, 4, new Message.RequestVoteResponse(false, true)));
  }

  /** FAULTS F005. */
  @Test
  void grantForAnotherCampaignDoesNotCount() {
    TestCluster cluster = TestCluster.of(3);
    cluster.campaign("n1");
    Message grant = new Message.RequestVoteResponse(true, true);
    cluster.step(new Envelope(N2, N1, 2, grant));
    cluster.step(new Envelope(N2, N1, 5, grant));
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.PRE_CANDIDATE);
    assertThat(cluster.core("n1").term()).isZero();
    cluster.step(new Envelope(N2, N1, 1, grant));
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.CANDIDATE);
  }

  /** FAULTS F006, in the three ways in which one link can break. */
  @Test
  void oneBrokenLinkDoesNotDeposeTheLeader() {
    for (int broken = 1; broken <= 3; broken++) {
      TestCluster cluster = TestCluster.of(3).elect("n1");
      if ((broken & 1) != 0) {
        cluster.cut("n1", "n3");
      }
      if ((broken & 2) != 0) {
        cluster.cut("n3", "n1");
      }
      for (int i = 0; i < 100; i++) {
        cluster.propose("n1", "x");
        cluster.tickAll(10);
      }
      assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
      assertThat(cluster.core("n1").commitIndex()).isEqualTo(101);
      assertThat(cluster.core("n3").term()).isEqualTo(1);
      cluster.heal();
      cluster.tickAll(10);
      assertThat(cluster.core("n3").leader()).isEqualTo(N1);
      assertThat(cluster.core("n3").commitIndex()).isEqualTo(101);
      assertThat(cluster.core("n1").term()).isEqualTo(1);
    }
  }

  /**
   * FAULTS F005: the last leader is gone, and the rest is one fresh node and one that fell behind.
   */
  @Test
  void nodesOfDifferentTermsElectTheFresherOne() {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n2", new HardState(9, null), 1, 9);
    cluster.preset("n3", new HardState(1, null), 1);
    cluster.isolate("n1");
    cluster.tickAll(60);
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n3").commitIndex()).isEqualTo(3);
  }

  /** FAULTS F009: a–b cut, b one entry short, c joins both. */
  @Test
  void candidateWithAShortLogDoesNotDeposeTheOnlyUsableLeader() {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n1", new HardState(1, null), 1, 1);
    cluster.preset("n2", new HardState(1, null), 1);
    cluster.preset("n3", new HardState(1, null), 1, 1);
    cluster.cut("n1", "n2");
    cluster.cut("n2", "n1");
    cluster.elect("n1");
    cluster.tickAll(200 * 10);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").term()).isEqualTo(2);
  }

  /** FAULTS F009: without an answer the term rises once, not with each timeout. */
  @Test
  void candidateWithoutAnAnswerAsksBeforeItRaisesTheTermAgain() {
    TestCluster cluster = TestCluster.of(3);
    cluster.campaign("n1");
    cluster.step(new Envelope(N2, N1, 1, new Message.RequestVoteResponse(true, true)));
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.CANDIDATE);
    cluster.isolate("n1");
    cluster.dropAll();
    cluster.tick("n1", 300);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.PRE_CANDIDATE);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  /** n3 notices the leader's death last, and its log is behind: n2 must not wait a full timeout. */
  @Test
  void freshNodeAsksAgainSoonWhenOneThatIsBehindMissesTheLeaderToo() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.cut("n1", "n3");
    cluster.propose("n1", "x");
    cluster.deliver();
    cluster.crash("n1");
    cluster.unreachable("n2", "n1");
    cluster.tick("n2", 3);
    cluster.deliver();
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.PRE_CANDIDATE);
    cluster.unreachable("n3", "n1");
    cluster.tick("n3", 3);
    cluster.deliver();
    assertThat(cluster.core("n3").role()).isNotEqualTo(RoleName.LEADER);
    cluster.tick("n2", 3);
    cluster.deliver();
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEADER);
  }

  private static Envelope preVote(long term, EntryId last) {
    return new Envelope(N2, N1, term, new Message.RequestVote(last, true, false));
  }
}
