package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Membership;
import io.kvorum.raft.MembershipChange;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.snapshot.Manifest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that are behind the leader's log, and everything that may happen on their way back. */
final class SnapshotTransferTest {
  private static final int BEHIND = 150;

  /** For so long a learner that stands still is waited for. */
  private static final long CHANGE_PATIENCE_NANOS = 10_000_000_000L;

  /** Three nodes, of which n3 sleeps and the others have given up the log that it needs. */
  private static TestNodes withOneBehind(long seed) {
    TestNodes nodes = new TestNodes(seed, 3).startAll();
    nodes.write(5);
    nodes.untilEqual();
    nodes.node(3).crash();
    // Until it counts as silent, it would be offered what it cannot take.
    nodes.pass(2);
    nodes.write(BEHIND);
    TestNode leader = nodes.leader();
    nodes.until("the leader has cut its log", () -> leader.compacted() > 60);
    return nodes;
  }

  private static void untilChunksCame(TestNodes nodes, TestNode from, int count) {
    nodes.until(
        "chunks of " + from.id, () -> nodes.sent(from, SnapshotFrame.Chunk.class).size() >= count);
  }

  @Test
  void aFollowerBehindTheLogCatchesUp() {
    TestNodes nodes = withOneBehind(1);
    TestNode leader = nodes.leader();
    nodes.node(3).start();
    nodes.untilEqual();
    assertThat(nodes.node(3).compacted()).isGreaterThan(60);
    assertThat(nodes.sent(leader, SnapshotFrame.Offer.class)).hasSize(1);
    nodes.write(10);
    nodes.untilEqual();
    nodes.node(3).crash();
    nodes.node(3).start();
    nodes.untilEqual();
    assertThat(nodes.sent(leader, SnapshotFrame.Offer.class)).hasSize(1);
  }

  @Test
  void aNodeThatJoinsCatchesUp() {
    TestNodes nodes = withOneBehind(2);
    nodes.node(3).start();
    nodes.join(4);
    TestNode leader = nodes.leader();
    assertThat(endOfJoin(nodes, leader)).isEqualTo("applied");
    nodes.untilEqual();
    nodes.node(4).crash();
    nodes.node(4).start();
    nodes.write(5);
    nodes.untilEqual();
    assertThat(nodes.node(4).node().membership().members()).hasSize(4);
  }

  /** Longer than a learner that stands still is waited for. */
  @Test
  void aNodeThatJoinsIsWaitedForWhileItsSnapshotIsFetched() {
    TestNodes nodes = withOneBehind(5);
    nodes.node(3).start();
    nodes.untilEqual();
    nodes.snapshotConfig =
        nodes.snapshotConfig.withSendBytesPerSecond(50_000).withChunkBytes(20_000);
    nodes.all.values().forEach(TestNode::crash);
    nodes.startAll();
    nodes.write(1);
    nodes.join(4);
    TestNode leader = nodes.leader();
    long begun = nodes.time.nanos();
    assertThat(endOfJoin(nodes, leader)).isEqualTo("applied");
    assertThat(nodes.time.nanos() - begun).isGreaterThan(CHANGE_PATIENCE_NANOS);
  }

  /** FAULTS F070: it lives and asks again and again; nobody can change the group meanwhile. */
  @Test
  void aNodeThatJoinsWithAFullDiskIsGivenUp() {
    TestNodes nodes = withOneBehind(6);
    nodes.node(3).start();
    nodes.untilEqual();
    nodes.join(4);
    nodes.node(4).disk.spaceLeft(900_000);
    TestNode leader = nodes.leader();
    assertThat(endOfJoin(nodes, leader)).contains("[n4] did not catch up: they stay learners");
    assertThat(nodes.sent(leader, SnapshotFrame.Offer.class)).hasSizeGreaterThan(2);
    nodes.node(4).disk.spaceLeft(20_000_000);
    assertThat(endOfJoin(nodes, leader)).isEqualTo("applied");
  }

  /** Whoever waited is told, and whoever asks last decides. */
  @Test
  void aChangeThatWaitsForALearnerCanBeTakenBackOrAskedForOnceMore() {
    TestNodes nodes = withOneBehind(7);
    nodes.node(3).start();
    nodes.untilEqual();
    TestNode leader = nodes.leader();
    Set<Object> first = new TreeSet<>();
    Set<Object> again = new TreeSet<>();
    Set<Object> back = new TreeSet<>();
    leader.process().loop.execute(() -> change(leader, Set.of(1, 2, 3, 4), first));
    nodes.until("n4 is a learner", () -> leader.node().membership().isMember(TestNodes.id(4)));
    nodes.pass(1);
    leader.process().loop.execute(() -> change(leader, Set.of(1, 2, 4), again));
    nodes.until("another change is refused", () -> !again.isEmpty());
    assertThat(again.toString())
        .contains("[n4] receive the log as learners, to vote when they have it")
        .contains("nothing was changed");
    again.clear();
    leader.process().loop.execute(() -> change(leader, Set.of(1, 2, 3, 4), again));
    nodes.until("the first one is told", () -> !first.isEmpty());
    assertThat(first.toString()).contains("the same change was asked for once more");
    assertThat(again).isEmpty();
    leader.process().loop.execute(() -> change(leader, Set.of(1, 2, 3), back));
    nodes.until("it is taken back", () -> !back.isEmpty());
    assertThat(back).containsExactly("applied");
    assertThat(again.toString()).contains("given up: the members were changed again, without [n4]");
    assertThat(leader.node().membership().members()).hasSize(3);
  }

  /** What becomes of it when n4 is to vote beside the others. */
  private static String endOfJoin(TestNodes nodes, TestNode leader) {
    Set<Object> ends = new TreeSet<>();
    leader.process().loop.execute(() -> change(leader, Set.of(1, 2, 3, 4), ends));
    nodes.until("the change of n4 has an end", () -> !ends.isEmpty());
    assertThat(ends).hasSize(1);
    return ends.iterator().next().toString();
  }

  private static void change(TestNode leader, Set<Integer> numbers, Set<Object> ends) {
    TreeSet<io.kvorum.raft.NodeId> voters = new TreeSet<>();
    numbers.forEach(number -> voters.add(TestNodes.id(number)));
    leader
        .node()
        .changeMembership(
            MembershipChange.to(voters, Set.of(), Map.of()),
            new ProposalListener<Membership>() {
              @Override
              public void applied(Membership result) {
                ends.add("applied");
              }

              @Override
              public void refused(Refusal why) {
                ends.add(why.toString());
              }

              @Override
              public void unknown(String why) {
                ends.add(why);
              }
            });
  }

  @Test
  void allStartAgainAfterTheyHaveCutTheirLogs() {
    TestNodes nodes = withOneBehind(3);
    nodes.node(3).start();
    nodes.untilEqual();
    nodes.pass(2);
    nodes.all.values().forEach(node -> assertThat(node.compacted()).isGreaterThan(60));
    TestMachine.State before = nodes.leader().state();
    nodes.all.values().forEach(TestNode::crash);
    nodes.startAll();
    nodes.write(3);
    nodes.untilEqual();
    assertThat(nodes.leader().state().applied().index()).isGreaterThan(before.applied().index());
  }

  /** FAULTS F065. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void framesThatAreLostDoubledLateAndOutOfOrderDoNoHarm(long seed) {
    TestNodes nodes = withOneBehind(seed);
    nodes.latencyNanosMax = 400_000_000;
    nodes.keepsOrder = false;
    nodes.weather =
        (from, to, frame) ->
            frame instanceof SnapshotFrame ? nodes.time.random().nextInt(4) * 2 / 3 : 1;
    nodes.node(3).start();
    nodes.untilEqual();
  }

  /** FAULTS F065: what has arrived is not asked for again. */
  @Test
  void aReceiverThatStartsAgainGoesOnFromWhereItsFilesEnd() {
    TestNodes nodes = withOneBehind(4);
    TestNode leader = nodes.leader();
    nodes.node(3).start();
    untilChunksCame(nodes, leader, 4);
    nodes.until("it is on the disk", () -> received(nodes.node(3)) > 700_000);
    nodes.node(3).crash();
    nodes.pass(3);
    nodes.node(3).start();
    nodes.untilEqual();
    int bytes = 0;
    for (SnapshotFrame.Chunk chunk : nodes.sent(leader, SnapshotFrame.Chunk.class)) {
      bytes += chunk.bytes().length;
    }
    // The first of two files was whole; of the second, what was under way may come twice.
    assertThat(bytes).isLessThan(2 * 700_000 + 4 * SnapshotFrame.CHUNK_BYTES_MAX);
  }

  private static long received(TestNode node) {
    SnapshotStatus status = node.node().snapshotStatus();
    return status == null || status.receiving() == null ? 0 : status.receiving().receivedBytes();
  }

  /** FAULTS F065: whoever has the snapshot may go on with it, or else has a newer one. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 5})
  void aLeaderThatDiesInTheMiddleIsReplaced(int chunks) {
    TestNodes nodes = withOneBehind(10 + chunks);
    TestNode first = nodes.leader();
    nodes.node(3).start();
    untilChunksCame(nodes, first, chunks);
    first.crash();
    nodes.pass(4);
    first.start();
    nodes.untilEqual();
    nodes.write(3);
    nodes.untilEqual();
  }

  /** The old leader still has what is being fetched from it, so nothing begins anew. */
  @Test
  void aTransferOutlivesTheLeadershipOfItsSender() {
    TestNodes nodes = withOneBehind(20);
    TestNode first = nodes.leader();
    TestNode other = nodes.node(first.id.equals(TestNodes.id(1)) ? 2 : 1);
    nodes.snapshotConfig = nodes.snapshotConfig.withSendBytesPerSecond(300_000);
    nodes.node(3).start();
    untilChunksCame(nodes, first, 2);
    first.process().loop.execute(() -> first.node().transferLeadership(other.id));
    nodes.until("the other leads", () -> other.node().role() == RoleName.LEADER);
    nodes.untilEqual();
    assertThat(nodes.sent(first, SnapshotFrame.Chunk.class)).hasSizeBetween(6, 9);
    assertThat(nodes.sent(other, SnapshotFrame.Chunk.class)).isEmpty();
  }

  /** FAULTS F066: the log stays from the snapshot on, and so does the snapshot. */
  @Test
  void writesDuringASlowTransferDoNotMakeAnotherOneNecessary() {
    TestNodes nodes = new TestNodes(30, 3).startAll();
    nodes.snapshotConfig = nodes.snapshotConfig.withSendBytesPerSecond(100_000);
    nodes.all.values().forEach(TestNode::crash);
    nodes.startAll();
    nodes.write(5);
    nodes.node(3).crash();
    // Until it counts as silent, it would be offered what it cannot take.
    nodes.pass(2);
    nodes.write(BEHIND);
    TestNode leader = nodes.leader();
    nodes.until("the leader has cut its log", () -> leader.compacted() > 60);
    nodes.node(3).start();
    untilChunksCame(nodes, leader, 1);
    long last = leader.node().last().index();
    while (nodes.node(3).compacted() == 0) {
      nodes.write(1);
    }
    assertThat(leader.node().last().index() - last).isGreaterThan(200);
    nodes.untilEqual();
    assertThat(nodes.sent(leader, SnapshotFrame.Offer.class)).hasSize(1);
    long cut = leader.compacted();
    nodes.write(BEHIND);
    nodes.until("the log is cut again", () -> leader.compacted() > cut);
  }

  /** FAULTS F066: as long as that takes, and however often snapshots are taken meanwhile. */
  @Test
  void whatFollowsASnapshotStaysUntilItIsInstalled() {
    TestNodes nodes = withOneBehind(31);
    TestNode leader = nodes.leader();
    TestNode behind = nodes.node(3);
    behind.start();
    nodes.until("it is there", () -> !nodes.sent(behind, SnapshotFrame.Fetched.class).isEmpty());
    nodes.weather =
        (from, to, frame) -> from.equals(behind.id) && !(frame instanceof SnapshotFrame) ? 0 : 1;
    long newest = newest(leader);
    nodes.pass(2);
    nodes.write(BEHIND);
    nodes.until("another one is taken", () -> newest(leader) > newest);
    nodes.pass(4);
    nodes.weather = (from, to, frame) -> 1;
    nodes.untilEqual();
    assertThat(nodes.sent(leader, SnapshotFrame.Offer.class).stream().map(each -> each.manifest()))
        .allSatisfy(
            each ->
                assertThat(Manifest.decode(each, "").meta().last().index())
                    .isLessThanOrEqualTo(newest));
  }

  private static long newest(TestNode node) {
    SnapshotStatus status = node.node().snapshotStatus();
    return status == null ? 0 : status.newest().index();
  }

  /** What comes behind the gap waits in memory, so it must not be much. */
  @Test
  void behindALostChunkLittleIsAskedFor() {
    TestNodes nodes = withOneBehind(32);
    nodes.snapshotConfig = nodes.snapshotConfig.withChunkBytes(10_000);
    TestNode leader = nodes.leader();
    boolean[] isLost = {false};
    nodes.weather =
        (from, to, frame) -> {
          boolean isFirst = !isLost[0] && frame instanceof SnapshotFrame.Chunk;
          isLost[0] |= isFirst;
          return isFirst ? 0 : 1;
        };
    nodes.node(3).start();
    nodes.untilEqual();
    Set<Object> parts = new HashSet<>();
    List<SnapshotFrame.Chunk> chunks = nodes.sent(leader, SnapshotFrame.Chunk.class);
    chunks.forEach(each -> parts.add(List.of(each.file(), each.offset())));
    assertThat(parts).hasSizeGreaterThan(100);
    assertThat(chunks.size() - parts.size()).isBetween(1, SnapshotReceiver.CHUNKS_UNDER_WAY_MAX);
  }

  @Test
  void severalReceiveAtOnce() {
    TestNodes nodes = new TestNodes(40, 5).startAll();
    nodes.write(5);
    TestNode leader = nodes.leader();
    List<TestNode> behind =
        nodes.all.values().stream().filter(node -> node != leader).limit(2).toList();
    behind.forEach(TestNode::crash);
    nodes.pass(2);
    nodes.write(BEHIND);
    nodes.until("the leader has cut its log", () -> leader.compacted() > 60);
    behind.forEach(TestNode::start);
    nodes.untilEqual();
    assertThat(nodes.sent(leader, SnapshotFrame.Offer.class)).hasSize(2);
  }

  /** FAULTS F076. */
  @Test
  void aReceiverThatIsRemovedIsForgotten() {
    TestNodes nodes = withOneBehind(50);
    TestNode leader = nodes.leader();
    nodes.weather = (from, to, frame) -> frame instanceof SnapshotFrame.Pull ? 0 : 1;
    nodes.node(3).start();
    nodes.until("it is sent one", () -> isSending(leader));
    Set<Object> ends = new TreeSet<>();
    leader.process().loop.execute(() -> change(leader, Set.of(1, 2), ends));
    nodes.until("n3 is removed", () -> !ends.isEmpty());
    assertThat(ends).containsExactly("applied");
    nodes.until("it is forgotten", () -> !isSending(leader));
    long cut = leader.compacted();
    nodes.write(BEHIND);
    nodes.until("the log is cut again", () -> leader.compacted() > cut);
  }

  private static boolean isSending(TestNode node) {
    SnapshotStatus status = node.node().snapshotStatus();
    return status != null && !status.sendingTo().isEmpty();
  }

  /** FAULTS F070. */
  @Test
  void aFullDiskAtTheReceiverIsTriedAgainUntilThereIsSpace() {
    TestNodes nodes = withOneBehind(60);
    TestNode leader = nodes.leader();
    nodes.node(3).start();
    nodes.node(3).disk.spaceLeft(900_000);
    nodes.until(
        "it was tried again", () -> nodes.sent(leader, SnapshotFrame.Offer.class).size() >= 3);
    assertThat(nodes.node(3).failures).isEmpty();
    assertThat(nodes.node(3).compacted()).isZero();
    nodes.write(1);
    nodes.node(3).disk.spaceLeft(20_000_000);
    nodes.untilEqual();
  }

  /** Entries that were never committed give way to the snapshot. */
  @Test
  void aLogThatConflictsIsReplaced() {
    TestNodes nodes = new TestNodes(70, 3).startAll();
    nodes.write(5);
    TestNode former = nodes.leader();
    nodes.cut(former);
    for (int i = 0; i < 200; i++) {
      former.process().loop.execute(() -> former.node().propose(new byte[900], IGNORE));
    }
    nodes.write(BEHIND);
    TestNode leader = nodes.leader();
    nodes.until("the leader has cut its log", () -> leader.compacted() > 60);
    assertThat(former.node().last().index()).isGreaterThan(100);
    nodes.mend();
    nodes.untilEqual();
    assertThat(former.compacted()).isGreaterThan(60);
  }

  private static final ProposalListener<Long> IGNORE =
      new ProposalListener<>() {
        @Override
        public void applied(Long result) {
          throw new AssertionError("committed by nobody");
        }

        @Override
        public void refused(Refusal why) {}

        @Override
        public void unknown(String why) {}
      };

  /** FAULTS F075: it has no entry, and yet everything. */
  @Test
  void aNodeThatHasNothingButASnapshotCanLead() {
    TestNodes nodes = withOneBehind(80);
    nodes.node(3).start();
    nodes.untilEqual();
    TestNode leader = nodes.leader();
    TestNode filled = nodes.node(3);
    filled.crash();
    filled.start();
    nodes.untilEqual();
    leader.process().loop.execute(() -> leader.node().transferLeadership(filled.id));
    nodes.until("it leads", () -> filled.node().role() == RoleName.LEADER);
    nodes.write(3);
    nodes.untilEqual();
  }

  /** FAULTS F067: what lies damaged is found out, and another one is taken. */
  @Test
  void aSnapshotThatLiesDamagedAtTheSenderIsReplaced() {
    TestNodes nodes = withOneBehind(90);
    TestNode leader = nodes.leader();
    String name = leader.process().snapshots.published().get(0).name();
    leader.disk.child("snapshots").child(name).child("files").flipBit("ballast-1", 4_711);
    nodes.node(3).start();
    nodes.untilEqual();
    assertThat(nodes.sent(nodes.node(3), SnapshotFrame.Gone.class)).hasSize(1);
    assertThat(nodes.sent(leader, SnapshotFrame.Offer.class)).hasSize(2);
  }
}
