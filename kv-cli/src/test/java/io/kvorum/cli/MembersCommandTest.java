package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.server.KvNode;
import io.kvorum.server.Member;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.net.Ports;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kvorum members} and {@code kvorum recover}. */
class MembersCommandTest {
  private final CommandLineHarness kvorum = new CommandLineHarness();

  @Test
  void theListShowsRolesAndAddresses() {
    assertThat(kvorum.run("members", "list")).isZero();
    assertThat(kvorum.out().lines())
        .containsExactly(
            "NODE  ROLE     ADDRESS",
            "n1    voter    10.0.0.1:7400:7500",
            "n2    learner  10.0.0.2:7400:7500");
    assertThat(kvorum.run("members", "list", "-o", "json")).isZero();
    assertThat(kvorum.out())
        .startsWith("{\"nodeId\":\"n1\",\"role\":\"voter\",\"address\":\"10.0.0.1:7400:7500\"}\n");
  }

  @Test
  void eachChangePrintsWhatTheMembersAreThen() {
    assertThat(kvorum.run("members", "add", "n3=10.0.0.3:7400:7500", "--learner")).isZero();
    assertThat(kvorum.out()).contains("n3    learner  10.0.0.3:7400:7500");
    assertThat(kvorum.admin.timeout).isEqualTo(Duration.ofMinutes(5));
    assertThat(kvorum.run("members", "promote", "n3", "--wait", "30s")).isZero();
    assertThat(kvorum.out()).contains("n3    voter");
    assertThat(kvorum.admin.timeout).isEqualTo(Duration.ofSeconds(30));
    assertThat(kvorum.run("members", "replace", "n1", "n4=[::1]:7400:7500")).isZero();
    assertThat(kvorum.out()).contains("n4    voter    [::1]:7400:7500").doesNotContain("n1 ");
    assertThat(kvorum.run("members", "remove", "n2", "-o", "json")).isZero();
    assertThat(kvorum.out().lines()).hasSize(2);
    assertThat(kvorum.run("members", "transfer", "n3")).isZero();
    assertThat(kvorum.out()).isEqualTo("n3 leads\n");
    assertThat(kvorum.admin.leader).isEqualTo("n3");
  }

  @Test
  void whatTheClusterRefusesHasItsExitCode() {
    assertThat(kvorum.run("members", "remove", "n7")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).contains("n7 is no member; members are [n1, n2]; nothing was changed");
    assertThat(kvorum.run("members", "promote", "n1")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.run("members", "add", "n1=h:1:2")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).doesNotContain("not executed");
    kvorum.admin.failure = new KvException.OutcomeUnknown("sent");
    assertThat(kvorum.run("members", "promote", "n2")).isEqualTo(ExitCode.OUTCOME_UNKNOWN);
    assertThat(kvorum.err()).doesNotContain("learner");
    assertThat(kvorum.run("members", "add", "n9=h:1:2")).isEqualTo(ExitCode.OUTCOME_UNKNOWN);
    assertThat(kvorum.err())
        .contains("n9 may be a learner now")
        .contains("kvorum members remove n9 takes it back");
  }

  @Test
  void recoverWarnsOfANodeThatWasRemoved(@TempDir Path directory) {
    List<Integer> ports = Ports.free(4, ProcessHandle.current().pid() + 23);
    List<Member> members =
        List.of(
            Member.parse("n1=127.0.0.1:" + ports.get(0) + ":" + ports.get(1)),
            Member.parse("n2=127.0.0.1:" + ports.get(2) + ":" + ports.get(3)));
    try (KvNode stays = node(directory, members, "n1");
        KvNode goes = node(directory, members, "n2")) {
      stays.removeMember("n2").join();
      Await.until("n2 has heard of it", Duration.ofSeconds(30), () -> goes.failure().isDone());
    }
    String[] report = {"recover", "--node-id", "n2", "--data-dir", directory + "/n2"};
    assertThat(kvorum.run(report)).isZero();
    assertThat(kvorum.out()).contains("WARNING: the group has removed n2");
    report[2] = "n1";
    report[4] = directory + "/n1";
    assertThat(kvorum.run(report)).isZero();
    assertThat(kvorum.out()).doesNotContain("WARNING");
  }

  private static KvNode node(Path directory, List<Member> members, String name) {
    return KvNode.start(
        ServerConfig.embedded(directory.resolve(name))
            .nodeId(name)
            .members(members)
            .segmentBytes(8 << 20)
            .build());
  }

  @Test
  void recoverReportsFirstAndActsOnlyWhenItIsTold(@TempDir Path directory) {
    String data = directory.resolve("n1").toString();
    ServerConfig config =
        ServerConfig.embedded(directory.resolve("n1")).segmentBytes(8 << 20).build();
    try (KvNode node = KvNode.start(config)) {
      node.blocking().put(Bytes.utf8("k"), Bytes.utf8("v"));
      assertThat(kvorum.run("recover", "--data-dir", data, "--node-id", "n1"))
          .isEqualTo(ExitCode.LOCAL);
      assertThat(kvorum.err()).contains("in use").contains("nothing was changed");
    }
    assertThat(kvorum.run("recover", "--data-dir", data, "--node-id", "n2"))
        .isEqualTo(ExitCode.LOCAL);
    assertThat(kvorum.err()).contains("belongs to node n1");
    assertThat(kvorum.run("recover", "--data-dir", data, "--node-id", "n1")).isZero();
    assertThat(kvorum.out())
        .contains("node        n1 of cluster kvorum", "voters=[n1]", "Nothing was changed")
        // The session, the put, and the end of the session if it came so far.
        .containsPattern("last entry +term 1, index [34]\n");
    String[] act = {
      "recover",
      "--data-dir",
      data,
      "--node-id",
      "n1",
      "--yes-lose-acknowledged-writes",
      "--new-cluster-id",
      "rescued"
    };
    assertThat(kvorum.run(act)).isZero();
    assertThat(kvorum.out()).contains("RECOVERED. n1 is the only member of cluster rescued");
    assertThat(kvorum.run(act)).isZero();
    assertThat(kvorum.out()).contains("recovered before");
    act[act.length - 1] = "kvorum";
    assertThat(kvorum.run(act)).as("its former name").isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains("must differ from kvorum");
    try (KvNode node =
        KvNode.start(ServerConfig.embedded(directory.resolve("n1")).clusterId("rescued").build())) {
      assertThat(node.blocking().get(Bytes.utf8("k")).value()).contains(Bytes.utf8("v"));
    }
  }
}
