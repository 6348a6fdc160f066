package io.kvorum.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.CorruptLogException;
import io.kvorum.log.LogInspection;
import io.kvorum.log.LogStore;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A log that is damaged where it was durable comes back from the others (docs/adr/0015). */
final class LogRepairTest {
  private static final int PAGE_BYTES = 4096;
  private static final int HEADER_BYTES = 44;

  /** Three nodes with the same log, none of it cut, all of them stopped. */
  private static TestNodes stopped(long seed, int count, int entries) {
    TestNodes nodes = new TestNodes(seed, count);
    nodes.snapshotConfig = SnapshotConfig.NEVER;
    nodes.startAll();
    nodes.write(entries);
    nodes.untilEqual();
    for (TestNode node : nodes.all.values()) {
      node.crash();
      node.disk.restart();
    }
    return nodes;
  }

  private static SimulatedDisk log(TestNode node) {
    return node.disk.child(DataDirectory.LOG);
  }

  private static List<String> segments(TestNode node) {
    return log(node).names().stream().filter(name -> name.endsWith(".log")).toList();
  }

  /** Flips a bit of the entry that holds this value; its segment. */
  private static String flipIn(TestNode node, int value) {
    byte[] wanted = ("value " + value + "\0").getBytes(US_ASCII);
    for (String name : segments(node)) {
      byte[] content = log(node).content(name);
      for (int at = 0; at < content.length - wanted.length; at++) {
        if (startsWith(content, at, wanted)) {
          log(node).flipBit(name, 8L * (at + 7));
          return name;
        }
      }
    }
    throw new AssertionError("no value " + value + " in " + segments(node));
  }

  private static boolean startsWith(byte[] content, int at, byte[] wanted) {
    for (int i = 0; i < wanted.length; i++) {
      if (content[at + i] != wanted[i]) {
        return false;
      }
    }
    return true;
  }

  /** What is in a log, as text: ids and contents. */
  private static List<String> entries(LogStore log, long from) {
    List<String> found = new ArrayList<>();
    for (long index = from; index <= log.last().index(); index++) {
      Entry entry = log.entries(index, index + 1, 0).get(0);
      found.add(entry.id() + " " + new String(entry.payload(), US_ASCII).trim());
    }
    return found;
  }

  private static void assertSameLog(TestNode one, TestNode other) {
    long from = Math.max(one.compacted(), other.compacted()) + 1;
    assertThat(entries(one.process().logStore, from))
        .isEqualTo(entries(other.process().logStore, from));
  }

  /** Who gives its vote, or says that it would, from now on. */
  private static Set<NodeId> votersOf(TestNodes nodes) {
    Set<NodeId> voters = new TreeSet<>();
    nodes.weather =
        (from, to, frame) -> {
          if (frame instanceof Envelope envelope
              && envelope.message() instanceof Message.RequestVoteResponse response
              && response.granted()) {
            voters.add(from);
          }
          return 1;
        };
    return voters;
  }

  /** With the third one the others elect a leader, and n2 gets what it lacks. */
  private static void assertRepairedWith(TestNodes nodes, TestNode third) {
    third.start();
    nodes.untilEqual();
    nodes.write(1);
    nodes.untilEqual();
    assertThat(nodes.node(2).node().status().repairing()).isFalse();
    assertSameLog(third, nodes.node(2));
    assertSameLog(nodes.node(3), nodes.node(2));
  }

  /** F034, to the letter. */
  @Test
  void aFlippedBitBelowTheCommitIndexIsFetchedAgain() {
    TestNodes nodes = stopped(1, 3, 100);
    String segment = flipIn(nodes.node(2), 40);
    Set<NodeId> voters = votersOf(nodes);

    nodes.node(2).start();
    nodes.node(3).start();
    nodes.pass(20);
    assertThat(nodes.findLeader()).as("n2 must not help to elect anybody").isNull();
    assertThat(voters).isEmpty();
    assertThat(nodes.node(2).node().status().repairing()).isTrue();
    assertThat(nodes.node(2).disk.child(LogRepair.DAMAGED).names())
        .containsExactly(segment, "about.txt");

    assertRepairedWith(nodes, nodes.node(1));
    assertThat(nodes.node(2).node().last().index()).isGreaterThan(101);

    // It is a voter like any other again, with everything.
    nodes.leader().crash();
    nodes.node(2).start();
    nodes.write(3);
    assertThat(nodes.acknowledged).isEqualTo(104);
    assertThat(voters.contains(TestNodes.id(2)) || nodes.leader() == nodes.node(2)).isTrue();
  }

  /**
   * With one node dead, another one acknowledges; then power goes, and of its log several synced
   * batches at the end are gone, with all that stood in them.
   */
  private static TestNodes withALostTail(long seed, int count) {
    TestNodes nodes = new TestNodes(seed, count);
    nodes.snapshotConfig = SnapshotConfig.NEVER;
    nodes.startAll();
    nodes.write(1);
    nodes.untilEqual();
    if (count > 2) {
      nodes.node(3).crash();
    }
    nodes.write(8);
    nodes.untilEqual();
    nodes.pass(3);
    for (TestNode node : nodes.all.values()) {
      node.crash();
      node.disk.restart();
    }
    TestNode losing = nodes.node(Math.min(2, count));
    assertThat(segments(losing)).hasSize(1);
    int kept = PAGE_BYTES + 4 * 1024;
    log(losing).zero(segments(losing).get(0), kept, TestNode.LOG.segmentBytes());
    return nodes;
  }

  /** Nobody is elected who lacks what the dead and the robbed node had acknowledged. */
  @Test
  void aTailThatWasDurableIsFetchedAgain() {
    TestNodes nodes = withALostTail(9, 3);
    Set<NodeId> voters = votersOf(nodes);
    nodes.node(2).start();
    nodes.node(3).start();
    nodes.pass(20);
    assertThat(nodes.findLeader()).as("n2 must not help to elect n3").isNull();
    assertThat(voters).isEmpty();
    assertThat(nodes.node(2).node().status().repairing()).isTrue();

    assertRepairedWith(nodes, nodes.node(1));
    List<String> found = entries(nodes.node(2).process().logStore, 1);
    for (int value = 1; value <= 10; value++) {
      String wanted = " value " + value;
      assertThat(found).as(wanted).anyMatch(entry -> entry.endsWith(wanted));
    }
  }

  @Test
  void aLostTailIsRefusedWhereNobodyCanHelp() {
    for (int count : new int[] {1, 2}) {
      TestNodes nodes = withALostTail(10, count);
      TestNode losing = nodes.node(count);
      String segment = segments(losing).get(0);
      byte[] content = log(losing).content(segment);
      assertThatThrownBy(losing::start)
          .isInstanceOf(CorruptLogException.class)
          .hasMessageContaining(segment + ", offset ")
          .hasMessageContaining(", entry ")
          .hasMessageContaining("are known to have been durable")
          .hasMessageContaining("kvorum doctor");
      losing.disk.restart();
      assertThat(log(losing).content(segment)).isEqualTo(content);
    }
  }

  /** Both slots of what was noted: it cannot know that it lost nothing, so it asks. */
  @Test
  void aDamagedNoteOfWhatWasDurableCostsNoEntry() {
    TestNodes nodes = stopped(11, 3, 20);
    log(nodes.node(2)).plant("durable", new byte[8192]);
    long last = lastIndex(nodes.node(2));
    nodes.node(2).start();
    assertThat(nodes.node(2).node().status().repairing()).isTrue();
    assertThat(nodes.node(2).node().last().index()).isEqualTo(last);
    nodes.node(1).start();
    nodes.node(3).start();
    nodes.untilEqual();
    assertThat(nodes.node(2).node().status().repairing()).isFalse();
  }

  private static long lastIndex(TestNode node) {
    try (LogInspection log = LogInspection.of(log(node), 0)) {
      return log.last().index();
    }
  }

  /** What it has to remember outlives its process, and power. */
  @Test
  void aNodeUnderRepairStaysOneOverRestarts() {
    TestNodes nodes = stopped(2, 3, 40);
    flipIn(nodes.node(2), 20);
    Set<NodeId> voters = votersOf(nodes);
    nodes.node(2).start();
    for (int i = 0; i < 3; i++) {
      nodes.pass(3);
      nodes.node(2).crash();
      nodes.node(2).start();
      nodes.node(3).crash();
      nodes.node(3).start();
      nodes.pass(5);
      assertThat(nodes.findLeader()).isNull();
      assertThat(nodes.node(2).node().status().repairing()).isTrue();
    }
    assertThat(voters).isEmpty();
    nodes.node(1).start();
    nodes.untilEqual();
    assertThat(nodes.node(2).node().status().repairing()).isFalse();
    assertSameLog(nodes.node(1), nodes.node(2));
  }

  /** Every page of the log, flipped and zeroed: repaired, and nothing of the others changes. */
  @Test
  void damageOfAnyPageIsRepaired() {
    TestNodes nodes = stopped(3, 3, 30);
    SimulatedDisk.Image[] images = {
      nodes.node(1).disk.image(), nodes.node(2).disk.image(), nodes.node(3).disk.image()
    };
    long acknowledged = nodes.acknowledged;
    List<String> before = whole(nodes.node(1));
    int repaired = 0;
    for (Page page : pages(nodes.node(2))) {
      for (int i = 0; i < images.length; i++) {
        nodes.node(i + 1).crash();
        nodes.node(i + 1).disk.restart();
        nodes.node(i + 1).disk.restore(images[i]);
      }
      damage(log(nodes.node(2)), page);
      nodes.acknowledged = acknowledged;
      nodes.startAll();
      nodes.write(2);
      nodes.untilEqual();
      repaired += nodes.node(2).disk.childNames().contains(LogRepair.DAMAGED) ? 1 : 0;
      assertThat(nodes.node(2).node().status().repairing()).as(page.toString()).isFalse();
      assertThat(entries(nodes.node(1).process().logStore, 1))
          .startsWith(before.toArray(String[]::new));
      assertSameLog(nodes.node(1), nodes.node(2));
    }
    assertThat(repaired).isGreaterThan(12);
  }

  /** What happens to the bytes of a segment from here to there. */
  private record Page(String segment, int from, int to, boolean isFlipped) {}

  private static List<Page> pages(TestNode node) {
    List<Page> pages = new ArrayList<>();
    for (String segment : segments(node)) {
      int end = written(log(node).content(segment));
      for (int at = 0; at < end; at += PAGE_BYTES) {
        pages.add(new Page(segment, at, Math.min(end, at + PAGE_BYTES), true));
        pages.add(new Page(segment, at, Math.min(end, at + PAGE_BYTES), false));
      }
    }
    return pages;
  }

  private static void damage(SimulatedDisk log, Page page) {
    if (page.isFlipped()) {
      // Of the page of the header, what is used.
      int used = page.from() == 0 ? HEADER_BYTES : page.to();
      log.flipBit(page.segment(), 8L * ((page.from() + used) / 2));
    } else {
      log.zero(page.segment(), page.from(), page.to());
    }
  }

  private static int written(byte[] content) {
    int end = content.length;
    while (content[end - 1] == 0) {
      end--;
    }
    return end;
  }

  private static List<String> whole(TestNode node) {
    List<String> found = new ArrayList<>();
    try (LogInspection log = LogInspection.of(log(node), 0)) {
      for (long index = 1; index <= log.last().index(); index++) {
        Entry entry = log.entries(index, index + 1, 0).get(0);
        found.add(entry.id() + " " + new String(entry.payload(), US_ASCII).trim());
      }
    }
    return found;
  }

  @Test
  void aLostSegmentIsFetchedAgain() {
    for (int which = 0; which < 4; which++) {
      TestNodes nodes = stopped(4, 3, 40);
      List<String> names = segments(nodes.node(2));
      assertThat(names).hasSize(4);
      log(nodes.node(2)).lose(names.get(which));
      nodes.startAll();
      nodes.untilEqual();
      nodes.write(1);
      nodes.untilEqual();
      assertSameLog(nodes.node(1), nodes.node(2));
      assertThat(nodes.node(2).node().status().repairing()).isFalse();
    }
  }

  /** Power goes at each step, once or twice: what is promised is never forgotten. */
  @Test
  void powerMayGoAtEveryStepOfARepair() {
    TestNodes flipped = stopped(5, 3, 40);
    flipIn(flipped.node(2), 15);
    assertStaysLost(flipped.node(2));
    assertStaysLost(withALostTail(12, 3).node(2));
  }

  private static void assertStaysLost(TestNode node) {
    SimulatedDisk.Image damaged = node.disk.image();
    HardState before = openAgain(node);
    assertThat(before.lostTerm()).isPositive();
    int calls = 0;
    for (boolean done = false; !done; calls++) {
      for (boolean after : new boolean[] {false, true}) {
        node.disk.restart();
        node.disk.restore(damaged);
        if (after) {
          node.disk.crashAfter(calls + 1);
        } else {
          node.disk.crashBefore(calls + 1);
        }
        try {
          openAgain(node);
          done = true;
        } catch (SimulatedCrash crash) {
          node.disk.crash();
        }
        node.disk.restart();
        HardState found = openAgain(node);
        assertThat(found.lostTerm()).as("call %d", calls).isPositive();
        assertThat(found.votedFor()).isNull();
      }
    }
    assertThat(calls).isGreaterThan(20);
  }

  /** Opens what is there as a start does, and lets go of it; what the vote file says. */
  private static HardState openAgain(TestNode node) {
    SplittableRandom random = new SplittableRandom(1);
    try (DataDirectory directory = DataDirectory.open(node.disk, "c1", node.id, random)) {
      TestMachine machine = new TestMachine(directory.stateDirectory(), 0, 0);
      DataDirectory.Opened opened =
          directory.openLog(
              TestNode.LOG, Runnable::run, random, machine.restored(), machine.membership());
      try (opened) {
        assertThat(opened.log().last().index()).isGreaterThanOrEqualTo(machine.restored().index());
        return opened.voteFile().load();
      }
    }
  }

  /** Nobody has what it lost, or nobody can be elected without it. */
  @Test
  void aNodeWithoutEnoughOthersRefusesAndSaysWhatToDo() {
    for (int count : new int[] {1, 2}) {
      TestNodes nodes = stopped(6, count, 40);
      String segment = flipIn(nodes.node(1), 20);
      byte[] content = log(nodes.node(1)).content(segment);
      assertThatThrownBy(() -> nodes.node(1).start())
          .isInstanceOf(CorruptLogException.class)
          .hasMessageContaining(segment + ", offset ")
          .hasMessageContaining(", entry ")
          .hasMessageContaining("kvorum restore")
          .hasMessageContaining("kvorum doctor");
      nodes.node(1).disk.restart();
      assertThat(log(nodes.node(1)).content(segment)).isEqualTo(content);
      assertThat(nodes.node(1).disk.childNames()).doesNotContain(LogRepair.DAMAGED);
    }
  }

  /** The state is gone, the log begins later, and there is no snapshot to put in its place. */
  @Test
  void aLostStateIsFetchedWithTheLog() {
    TestNodes nodes = new TestNodes(7, 3).startAll();
    nodes.write(150);
    nodes.untilEqual();
    TestNode node = nodes.node(2);
    nodes.until("its log is cut", () -> node.compacted() > 30);
    node.crash();
    node.disk.restart();
    Consumer<String> lose = node.disk.child(DataDirectory.STATE)::lose;
    lose.accept("state");
    node.disk.deleteDirectory(DataDirectory.SNAPSHOTS);
    nodes.node(2).start();
    nodes.untilEqual();
    nodes.write(3);
    nodes.untilEqual();
    assertThat(node.node().status().repairing()).isFalse();
    assertThat(node.compacted()).isGreaterThan(30);
  }

  @Test
  void aLostVoteIsNoCaseForARepair() {
    TestNodes nodes = stopped(8, 3, 5);
    nodes.node(2).disk.lose("vote");
    assertThatThrownBy(() -> nodes.node(2).start())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("no longer knows for whom it voted")
        .hasMessageContaining("kvorum members replace");
  }

  @Test
  void whoCanBeSpared() {
    NodeId self = TestNodes.id(1);
    assertThat(LogRepair.hasHelp(Membership.EMPTY, self)).isTrue();
    assertThat(LogRepair.hasHelp(Membership.of(Set.of(self)), self)).isFalse();
    assertThat(LogRepair.hasHelp(Membership.of(Set.of(self, TestNodes.id(2))), self)).isFalse();
    assertThat(LogRepair.hasHelp(Membership.of(Set.of(TestNodes.id(2))), self)).isTrue();
    assertThat(
            LogRepair.hasHelp(Membership.of(Set.of(self, TestNodes.id(2), TestNodes.id(3))), self))
        .isTrue();
  }

  /** After the first loss, everything it says is of a term in which nothing was lost. */
  @Test
  void losingEntersATermOfItsOwn() {
    HardState voted = new HardState(7, TestNodes.id(3));
    assertThat(voted.losing()).isEqualTo(new HardState(8, null, 7));
    assertThat(voted.losing().losing()).isEqualTo(new HardState(9, null, 8));
    assertThatThrownBy(() -> new HardState(7, null, 7))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(new EntryId(3, 7)).isLessThan(new EntryId(1, 8));
  }
}
