package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.MemberInfo;
import io.kvorum.api.MemberInfo.Role;
import io.kvorum.api.Members;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.node.RemovedException;
import io.kvorum.node.SystemClock;
import io.kvorum.raft.NodeId;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that come and go, over real sockets and a real disk. */
class MembersTest {
  @TempDir Path directory;

  /** F081, F086, F089: each step under writes, by a client that was told of the first node only. */
  @Test
  void aClusterGrowsReplacesAndShrinksUnderWritesAndLosesNothing() throws Exception {
    List<Member> all = TestCluster.freeMembers(6);
    Member first = all.get(0);
    try (Group group = new Group(directory);
        RemoteKvClient client = Group.client(first)) {
      group.start(group.config(first, List.of(first)).build());
      SteadyWriter writer = new SteadyWriter(client);
      try (writer) {
        writer.awaitMore(20);
        Members alone = client.members().join();
        for (int i = 1; i <= 2; i++) {
          group.join(all.get(i), all.subList(0, i));
          client.addMember(Group.voter(all.get(i))).join();
          writer.awaitMore(20);
        }
        // Based on what was so before: a change that would undo the two others.
        rejected(client.changeMembers(alone.with(Group.voter(all.get(3)))), Reason.MEMBERS_CHANGED);
        rejected(client.removeMember("n9"), Reason.MEMBERS_REFUSED);

        growToFive(group, client, all);
        writer.awaitMore(20);

        group.stop("n5");
        group.join(all.get(5), all.subList(0, 4));
        Members replaced = client.replaceMember("n5", Group.voter(all.get(5))).join();
        assertThat(ids(replaced)).containsExactly("n1", "n2", "n3", "n4", "n6");
        writer.awaitMore(20);

        removeTheLeader(group, client);
        writer.awaitMore(20);
      }
      for (String key : writer.acknowledged()) {
        assertThat(client.blocking().get(Bytes.utf8(key)).value())
            .as(key)
            .contains(Bytes.utf8("value of " + key));
      }
    }
  }

  private static void growToFive(Group group, RemoteKvClient client, List<Member> all) {
    group.join(all.get(3), all.subList(0, 3));
    group.join(all.get(4), all.subList(0, 3));
    MemberInfo fifth = Group.voter(all.get(4));
    Members withLearner = client.addMember(fifth.withRole(Role.LEARNER)).join();
    assertThat(withLearner.member("n5").orElseThrow().role()).isEqualTo(Role.LEARNER);
    Members five = client.addMember(Group.voter(all.get(3))).join();
    assertThat(ids(five)).containsExactly("n1", "n2", "n3", "n4", "n5");
    Await.until(
        "the learner to be promoted",
        Group.LIMIT,
        () -> client.promote("n5").handle((done, failed) -> failed == null).join());
    assertThat(client.members().join().members())
        .extracting(MemberInfo::role)
        .containsOnly(Role.VOTER);
  }

  /** The first leader, of whom alone the client was told: the client goes on without it. */
  private static void removeTheLeader(Group group, RemoteKvClient client) throws Exception {
    Await.until(
        "n1 to lead",
        Group.LIMIT,
        () -> client.transferLeadership("n1").handle((done, failed) -> failed == null).join());
    Members left = client.removeMember("n1").join();
    assertThat(ids(left)).containsExactly("n2", "n3", "n4", "n6");
    Throwable reason = group.node("n1").failure().get(30, TimeUnit.SECONDS);
    assertThat(reason).isInstanceOf(RemovedException.class).hasMessageContaining("n1");
    group.stop("n1");
  }

  /** It knows only those who are gone, and its settings do too; whoever leads now is a stranger. */
  @Test
  void aMemberThatWasAwayWhileAllOthersWereReplacedIsTakenBack() {
    List<Member> all = TestCluster.freeMembers(5);
    List<Member> three = all.subList(0, 3);
    try (Group group = new Group(directory);
        RemoteKvClient client = Group.client(all.get(0))) {
      three.forEach(member -> group.start(group.config(member, three).build()));
      client.blocking().put(Bytes.utf8("k"), Bytes.utf8("v"));
      Await.until("n3 to have it", Group.LIMIT, () -> group.status("n3").revision() == 2);
      group.stop("n3");
      for (Member newcomer : all.subList(3, 5)) {
        group.join(newcomer, three);
        client.addMember(Group.voter(newcomer)).join();
      }
      client.removeMember("n1").join();
      Members left = client.removeMember("n2").join();
      assertThat(ids(left)).containsExactly("n3", "n4", "n5");
      group.stop("n1");
      group.stop("n2");
      client.blocking().put(Bytes.utf8("k"), Bytes.utf8("w"));

      group.start(group.config(all.get(2), three).build());
      Await.until("n3 to be back", Group.LIMIT, () -> group.status("n3").revision() == 3);
      group.stop("n4");
      client.blocking().put(Bytes.utf8("k"), Bytes.utf8("x"));
      assertThat(group.node("n3").blocking().get(Bytes.utf8("k")).value())
          .contains(Bytes.utf8("x"));
    }
  }

  /** It refuses the leader, so it never catches up; what was changed until then is told. */
  @Test
  void aNodeOfAnotherClusterThatIsAddedStaysALearnerAndIsTakenBack() {
    List<Member> all = TestCluster.freeMembers(2);
    Member n1 = all.get(0);
    try (Group group = new Group(directory)) {
      Duration electionTimeout = Duration.ofMillis(100);
      KvNode node =
          group.start(
              group
                  .config(n1, List.of(n1))
                  .electionTimeout(electionTimeout)
                  .heartbeat(Duration.ofMillis(20))
                  .build());
      group.start(group.config(all.get(1), all).clusterId("other").join(true).build());
      assertThatThrownBy(() -> node.addMember(Group.voter(all.get(1))).join())
          .cause()
          .isInstanceOf(KvException.Rejected.class)
          .hasMessageStartingWith("[n2] did not catch up: they stay learners.")
          .hasMessageContaining("with this cluster's id")
          .hasMessageEndingWith("do the same again, or remove them");
      Members with = node.members().join();
      assertThat(with.member("n2").orElseThrow().role()).isEqualTo(Role.LEARNER);
      assertThat(ids(node.removeMember("n2").join())).containsExactly("n1");
    }
  }

  /** The first call has made a learner when its leader dies; the second one goes on with it. */
  @Test
  void aReplacementWhoseLeaderDiesInTheMiddleIsFinishedByTheSameCall() {
    List<Member> all = TestCluster.freeMembers(4);
    List<Member> three = all.subList(0, 3);
    Member newcomer = all.get(3);
    try (Group group = new Group(directory);
        RemoteKvClient client = Group.client(all.get(0))) {
      three.forEach(member -> group.start(group.config(member, three).build()));
      client.blocking().put(Bytes.utf8("k"), Bytes.utf8("v"));
      String leader = group.awaitLeader();
      String gone = leader.equals("n3") ? "n2" : "n3";
      CompletableFuture<Members> first = client.replaceMember(gone, Group.voter(newcomer));
      Await.until(
          "it to be a learner", Group.LIMIT, () -> group.status(gone).members().size() == 4);
      group.stop(leader);
      assertThatThrownBy(first::join).cause().isInstanceOf(KvException.OutcomeUnknown.class);

      group.join(newcomer, three);
      Members replaced =
          Await.value(
              "the replacement",
              Group.LIMIT,
              () ->
                  client
                      .replaceMember(gone, Group.voter(newcomer))
                      .handle((done, failed) -> done)
                      .join());
      assertThat(ids(replaced)).contains("n4", leader).doesNotContain(gone);
      assertThat(replaced.members()).extracting(MemberInfo::role).containsOnly(Role.VOTER);
      assertThatThrownBy(() -> client.replaceMember(gone, Group.voter(newcomer)).join())
          .hasMessageContaining("done before");
      assertThat(client.blocking().get(Bytes.utf8("k")).value()).contains(Bytes.utf8("v"));
    }
  }

  /** F083: whoever was never added disturbs nobody, and says what it waits for. */
  @Test
  void aNodeThatIsNeverAddedStaysQuiet() {
    List<Member> all = TestCluster.freeMembers(2);
    try (Group group = new Group(directory)) {
      KvNode first = group.start(group.config(all.get(0), all.subList(0, 1)).build());
      first.blocking().put(Bytes.utf8("a"), Bytes.utf8("1"));
      long term = group.status("n1").term();
      group.join(all.get(1), all.subList(0, 1));
      SystemClock clock = new SystemClock();
      long start = clock.nanoTime();
      Await.until(
          "three election timeouts",
          Group.LIMIT,
          () -> clock.nanoTime() - start > TimeUnit.SECONDS.toNanos(3));
      assertThat(group.status("n2").term()).isZero();
      assertThat(group.status("n2").problem())
          .hasValueSatisfying(text -> assertThat(text).contains("added"));
      assertThat(group.status("n1").term()).isEqualTo(term);
      assertThat(first.blocking().get(Bytes.utf8("a")).value()).contains(Bytes.utf8("1"));
    }
  }

  @Test
  void otherConfiguredMembersMakeNoOtherGroup() {
    List<Member> all = TestCluster.freeMembers(3);
    Member n1 = all.get(0);
    try (Group group = new Group(directory)) {
      group.start(group.config(n1, all).build());
      group.stop("n1");
      // One of three must not become a group of one because its settings say so.
      KvNode alone = group.start(group.config(n1, List.of(n1)).build());
      assertThat(group.status("n1").members()).hasSize(3);
      CompletableFuture<?> put = alone.put(Bytes.utf8("k"), Bytes.utf8("v"));
      assertThatThrownBy(() -> put.get(3, TimeUnit.SECONDS)).isNotNull();
      assertThat(group.status("n1").role()).isNotEqualTo("leader");
    }
  }

  @Test
  void aDirectoryOfAVersionWithoutAnOriginCountsAsMadeWithTheConfiguredMembers() throws Exception {
    List<Member> all = TestCluster.freeMembers(2);
    Member n1 = all.get(0);
    try (Group group = new Group(directory)) {
      group
          .start(group.config(n1, List.of(n1)).build())
          .blocking()
          .put(Bytes.utf8("k"), Bytes.EMPTY);
      group.stop("n1");
      Files.delete(directory.resolve("n1").resolve("origin"));
      assertThatThrownBy(() -> group.join(n1, all.subList(1, 2)))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("without \"join\"");
      KvNode again = group.start(group.config(n1, List.of(n1)).build());
      assertThat(again.blocking().get(Bytes.utf8("k")).keyValue()).isPresent();
      assertThat(directory.resolve("n1").resolve("origin")).exists();
    }
  }

  @Test
  void aNodeWithoutAPeerPortTakesNoMembers() {
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory.resolve("solo")).build())) {
      assertThatThrownBy(() -> node.addMember(MemberInfo.voter("n2", "127.0.0.1:7401:7501")).join())
          .cause()
          .isInstanceOf(KvException.Rejected.class)
          .hasMessageContaining("without a port for other members");
      assertThat(ids(node.members().join())).containsExactly("n1");
    }
  }

  /** F048: the others know its name with another directory; it must not run on as if empty. */
  @Test
  void aMemberThatLostItsDirectoryStopsItself() throws Exception {
    List<Member> all = TestCluster.freeMembers(3);
    try (Group group = new Group(directory)) {
      all.forEach(member -> group.start(group.config(member, all).build()));
      group.node("n1").blocking().put(Bytes.utf8("k"), Bytes.utf8("v"));
      String leader = group.awaitLeader();
      String lost = leader.equals("n3") ? "n2" : "n3";
      group.node(lost).blocking().put(Bytes.utf8("l"), Bytes.utf8("v"));
      Await.until("all to have met", Group.LIMIT, () -> allHaveMet(all));
      group.stop(lost);
      delete(directory.resolve(lost));
      Member self = all.get(lost.equals("n3") ? 2 : 1);
      Throwable reason =
          group.start(group.config(self, all).build()).failure().get(30, TimeUnit.SECONDS);
      assertThat(reason)
          .isInstanceOf(DisownedException.class)
          .hasMessageContaining("2 of 2 other voters refuse this node")
          .hasMessageContaining("wrong incarnation");
    }
  }

  private boolean allHaveMet(List<Member> all) throws IOException {
    for (Member member : all) {
      Path peers = directory.resolve(member.id().name()).resolve("peers");
      if (Files.readAllLines(peers).size() < 1 + 2 + 1) {
        return false;
      }
    }
    return true;
  }

  /** F152. Two of three are lost for good: the third one goes on alone, and with new ones. */
  @Test
  void aSurvivorIsRecoveredAndGrowsAgain() {
    List<Member> all = TestCluster.freeMembers(4);
    List<Member> three = all.subList(0, 3);
    Member n1 = all.get(0);
    try (Group group = new Group(directory)) {
      three.forEach(member -> group.start(group.config(member, three).build()));
      group.node("n1").blocking().put(Bytes.utf8("k"), Bytes.utf8("v"));
      Await.until("n1 to have applied it", Group.LIMIT, () -> group.status("n1").revision() == 2);
      three.forEach(member -> group.stop(member.id().name()));
      Path survivor = directory.resolve("n1");
      NodeRecovery.Outcome seen = NodeRecovery.run(survivor, n1.id(), null);
      assertThat(seen.changed()).isFalse();
      assertThat(seen.found().membership().voters()).hasSize(3);
      assertThat(NodeRecovery.run(survivor, n1.id(), "rescued").changed()).isTrue();
      assertThatThrownBy(() -> NodeRecovery.run(survivor, new NodeId("n2"), null))
          .isInstanceOf(DataDirectoryException.class);

      KvNode alone = group.start(group.config(n1, List.of(n1)).clusterId("rescued").build());
      assertThat(alone.blocking().get(Bytes.utf8("k")).value()).contains(Bytes.utf8("v"));
      // A lost one comes back: the two are strangers now.
      group.start(group.config(all.get(1), three).build());
      alone.blocking().put(Bytes.utf8("k"), Bytes.utf8("w"));
      Member n4 = all.get(3);
      group.start(group.config(n4, List.of(n1, n4)).clusterId("rescued").join(true).build());
      assertThat(ids(alone.addMember(Group.voter(n4)).join())).containsExactly("n1", "n4");
      assertThat(group.node("n4").blocking().get(Bytes.utf8("k")).value())
          .contains(Bytes.utf8("w"));
      assertThat(group.status("n2").leader()).isEmpty();
      assertThat(group.status("n2").revision()).isLessThanOrEqualTo(2);
    }
  }

  private static List<String> ids(Members members) {
    return members.members().stream().map(MemberInfo::id).toList();
  }

  private static void rejected(CompletableFuture<?> change, Reason reason) {
    assertThatThrownBy(change::join)
        .cause()
        .isInstanceOfSatisfying(
            KvException.Rejected.class,
            rejected -> assertThat(rejected.reason()).isEqualTo(reason));
  }

  private static void delete(Path root) throws IOException {
    List<Path> inside;
    try (var walk = Files.walk(root)) {
      inside = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : inside) {
      Files.delete(path);
    }
  }
}
