package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.Progress.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Windows and limits: in flight, uncommitted, not yet applied. */
class FlowControlTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final int ENTRY_BYTES = 100;
  private static final byte[] PAYLOAD = new byte[ENTRY_BYTES - Entry.OVERHEAD_BYTES];

  /** Up to 2 entries and 250 bytes in a message, 3 messages and 500 bytes in flight. */
  private static TestCluster narrow(int voters) {
    return new TestCluster(
        voters,
        0,
        config ->
            config.toBuilder()
                .appendBytesMax(250)
                .appendEntriesMax(2)
                .inflightMessagesMax(3)
                .inflightBytesMax(500)
                .uncommittedBytesMax(1000)
                .committedBytesMax(300)
                .build());
  }

  private static RaftStatus.Progress progress(TestCluster cluster) {
    return cluster.core("n1").status().progress().get(N2);
  }

  @Test
  void windowBoundsMessagesAndBytesInFlight() {
    TestCluster cluster = narrow(2).elect("n1");
    cluster.sent.clear();
    propose(cluster, 10);
    assertThat(cluster.sent).as("two entries each, and 500 bytes are full").hasSize(3);
    assertThat(progress(cluster).inflightMessages()).isEqualTo(3);
    assertThat(progress(cluster).inflightBytes()).isEqualTo(600);
    assertThat(progress(cluster).nextIndex()).isEqualTo(8);

    cluster.deliver();
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(11);
    assertThat(progress(cluster).inflightMessages()).isZero();
    assertThat(progress(cluster).inflightBytes()).isZero();
  }

  @Test
  void messagesFollowEachOtherWithoutWaiting() {
    TestCluster cluster = TestCluster.of(2).elect("n1");
    for (int i = 0; i < 8; i++) {
      cluster.propose("n1", "x");
    }
    assertThat(progress(cluster).inflightMessages()).isEqualTo(8);
    cluster.propose("n1", "the window is full");
    assertThat(progress(cluster).inflightMessages()).isEqualTo(8);
    assertThat(progress(cluster).nextIndex()).isEqualTo(10);
    cluster.deliver("n1", "n2");
    cluster.deliver("n2", "n1");
    assertThat(progress(cluster).nextIndex()).as("one is answered, one goes").isEqualTo(11);
  }

  @Test
  void entryOverTheLimitGoesAlone() {
    TestCluster cluster = narrow(2).elect("n1");
    cluster.core("n1").propose(PAYLOAD);
    cluster.core("n1").propose(new byte[800]);
    cluster.core("n1").propose(new byte[0]);
    cluster.run(cluster.node("n1"));
    cluster.tickAll(2);
    assertThat(cluster.core("n2").commitIndex()).isEqualTo(4);
    assertThat(cluster.node("n2").applied).hasSize(4);
  }

  /** FAULTS F018. */
  @Test
  void uncommittedBytesAreBoundedAndComeBackToZero() {
    TestCluster cluster = narrow(2).elect("n1");
    cluster.isolate("n2");
    propose(cluster, 10);
    RaftCore core = cluster.core("n1");
    assertThat(core.status().uncommittedBytes()).isEqualTo(1000);
    assertThat(core.propose(PAYLOAD)).isEqualTo(new Proposal.Overloaded(1000));
    assertThat(core.propose(new byte[0])).isEqualTo(new Proposal.Overloaded(1000));
    assertThat(core.status().last().index()).as("nothing was changed").isEqualTo(11);

    cluster.heal();
    cluster.tickAll(8);
    assertThat(core.status().uncommittedBytes()).isZero();
    assertThat(core.propose(new byte[5000])).as("alone").isInstanceOf(Proposal.Accepted.class);
    assertThat(core.propose(new byte[0])).isInstanceOf(Proposal.Overloaded.class);
    cluster.tickAll(4);
    assertThat(core.status().uncommittedBytes()).isZero();
  }

  /** FAULTS F018: what an earlier term left does not burden the next. */
  @Test
  void countersStartAnewWithEachTerm() {
    TestCluster cluster = narrow(3).elect("n1");
    cluster.isolate("n1");
    propose(cluster, 10);
    cluster.tick("n1", 12);
    assertThat(cluster.core("n1").status().uncommittedBytes()).isZero();
    cluster.elect("n2");
    cluster.heal();
    cluster.tickAll(20);
    for (int i = 0; i < 20; i++) {
      assertThat(cluster.propose("n2", "x")).isInstanceOf(Proposal.Accepted.class);
      cluster.deliver();
    }
    RaftStatus status = cluster.core("n2").status();
    assertThat(status.uncommittedBytes()).isZero();
    status.progress().values().forEach(progress -> assertThat(progress.inflightBytes()).isZero());
    assertThat(cluster.core("n1").status().last()).isEqualTo(status.last());
  }

  /** FAULTS F020: applying slowly bounds what is named, and touches neither commit nor order. */
  @Test
  void entriesNamedAndNotAppliedAreBounded() {
    TestCluster cluster = narrow(1);
    TestNode node = cluster.node("n1");
    cluster.tick("n1", 1);
    node.holdsApply = true;
    propose(cluster, 9);
    assertThat(node.core().commitIndex()).isEqualTo(10);
    assertThat(node.applied).as("the no-op is applied; 300 bytes more").hasSize(4);
    assertThat(node.core().hasReady()).isFalse();

    node.core().applied(2);
    cluster.run(node);
    assertThat(node.applied).hasSize(5);
    node.holdsApply = false;
    node.core().applied(5);
    cluster.run(node);
    assertThat(node.applied).hasSize(10);
    assertThat(node.core().status().appliedIndex()).isEqualTo(10);
  }

  @Test
  void committedEntryOverTheLimitIsNamedAlone() {
    TestCluster cluster = narrow(1);
    TestNode node = cluster.node("n1");
    cluster.tick("n1", 1);
    node.holdsApply = true;
    cluster.core("n1").propose(PAYLOAD);
    cluster.core("n1").propose(new byte[400]);
    cluster.run(node);
    assertThat(node.applied).hasSize(2);
    node.core().applied(2);
    cluster.run(node);
    assertThat(node.applied).hasSize(3);
  }

  @Test
  void deadFollowerIsSentHeartbeatsOnly() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.crash("n2");
    cluster.unreachable("n1", "n2");
    assertThat(progress(cluster).state()).isEqualTo(State.PROBE);
    cluster.sent.clear();
    for (int i = 0; i < 30; i++) {
      cluster.propose("n1", "x");
      cluster.tickAll(1);
    }
    List<Envelope> toDead = cluster.sent.stream().filter(e -> e.to().equals(N2)).toList();
    assertThat(toDead)
        .hasSize(10)
        .allMatch(e -> ((Message.AppendEntries) e.message()).entries().isEmpty());

    cluster.restart("n2");
    cluster.tickAll(5);
    assertThat(progress(cluster).state()).isEqualTo(State.REPLICATE);
    assertThat(cluster.core("n2").commitIndex()).isEqualTo(31);
  }

  @Test
  void lostAcknowledgementsDoNotStallTheWindow() {
    TestCluster cluster = narrow(2).elect("n1");
    propose(cluster, 10);
    while (cluster.deliver("n1", "n2")) {
      cluster.drop("n2", "n1");
    }
    assertThat(progress(cluster).inflightMessages()).isEqualTo(3);
    cluster.tickAll(4);
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(11);
  }

  /** FAULTS F066: while the follower installs it, heartbeats go on, and nothing loops. */
  @Test
  void followerWhoseEntriesAreCompactedIsSentOneSnapshot() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n3");
    cluster.propose("n1", "x");
    cluster.deliver();
    cluster.compact("n1", 2);
    cluster.hold("n3");
    cluster.heal();
    cluster.tickAll(30);
    NodeId n3 = new NodeId("n3");
    assertThat(cluster.core("n1").status().progress().get(n3).state()).isEqualTo(State.SNAPSHOT);
    assertThat(cluster.core("n3").leader()).isEqualTo(N1);
    cluster.release("n3");
    cluster.tickAll(10);
    assertThat(cluster.core("n1").status().progress().get(n3).state()).isEqualTo(State.REPLICATE);
    assertThat(cluster.sent.stream().filter(e -> e.message() instanceof Message.InstallSnapshot))
        .hasSize(1);
  }

  private static void propose(TestCluster cluster, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(cluster.core("n1").propose(PAYLOAD)).isInstanceOf(Proposal.Accepted.class);
    }
    cluster.run(cluster.node("n1"));
  }
}
