package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.MemberInfo;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.SpaceUse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StatusCommandTest {
  private static final List<NodeStatus.Member> MEMBERS =
      List.of(
          new NodeStatus.Member("n1", "10.0.0.1:7400", MemberInfo.Role.VOTER, 12, true),
          new NodeStatus.Member("n2", "10.0.0.2:7400", MemberInfo.Role.VOTER, 11, true),
          new NodeStatus.Member("n3", "10.0.0.3:7400", MemberInfo.Role.VOTER, 0, false));

  private final CommandLineHarness kvorum = new CommandLineHarness();

  @Test
  void oneEndpointLeadsToAllMembersAndTheSilentOneIsShown() {
    kvorum.nodes.put("localhost:7400", node("n1", "leader"));
    kvorum.nodes.put("10.0.0.2:7400", node("n2", "follower"));
    assertThat(kvorum.run("status", "--endpoints", "localhost:7400")).isZero();
    List<String> lines = kvorum.out().lines().toList();
    assertThat(lines).hasSize(8);
    assertThat(lines.subList(4, 8))
        .containsExactly(
            "n1: receives a snapshot",
            "n2: receives a snapshot",
            "features: snapshots, state-checks (used); not begun before every member says that it"
                + " knows them: magic (the version of n4 does not know magic), disk-space, quota"
                + " (n3 is not reached)",
            "cluster: test");
    assertThat(lines.get(0)).startsWith("ENDPOINT").endsWith("VERSION");
    assertThat(lines.get(1))
        .matches(
            "localhost:7400 +n1 +leader +4 +n1 +12 +11 +10 +9 +8 +1200/2000"
                + " +low: 100 MiB, no reserve .*0\\.1");
    assertThat(lines.get(2)).matches("10\\.0\\.0\\.2:7400 +n2 +follower .*");
    assertThat(lines.get(3)).matches("10\\.0\\.0\\.3:7400 +- +unreachable: connection refused");
  }

  @Test
  void jsonIsOneObjectForEachEndpoint() {
    kvorum.nodes.put("10.0.0.1:7400", node("n1", "leader"));
    kvorum.nodes.put("10.0.0.3:7400", node("n3", "follower"));
    assertThat(kvorum.run("status", "-o", "json", "--endpoints", "10.0.0.1:7400")).isZero();
    List<String> lines = kvorum.out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0))
        .contains("\"reachable\":true", "\"nodeId\":\"n1\"", "\"durableIndex\":11")
        .contains("\"matchIndex\":12", "\"leader\":\"n1\"")
        .contains("\"snapshotIndex\":7", "\"logFirstIndex\":5", "\"logBytes\":67108864")
        .contains("\"diskState\":\"low\"", "\"diskUsableBytes\":104857600")
        .contains("\"diskLowBytes\":201326592", "\"diskReserve\":false")
        .contains("\"snapshotReceivedBytes\":512,\"snapshotReceivingBytes\":1024")
        .contains("\"snapshotSendingTo\":[\"n3\"],\"activity\":\"receives a snapshot\"")
        .contains("{\"name\":\"state-checks\",\"used\":true,\"missing\":\"\"}")
        .contains("\"usedBytes\":1200,\"quotaBytes\":2000,\"reclaimableBytes\":300,\"full\":false");
    assertThat(lines.get(1)).contains("\"reachable\":false", "\"failure\":\"connection refused\"");
    assertThat(lines.get(2))
        .contains("\"role\":\"follower\"", "\"matchIndex\":null,\"active\":null")
        .doesNotContain("\"matchIndex\":1", "\"active\":true", "\"active\":false");
  }

  @Test
  void whoHasMoreTimeGivesAConnectionMore() {
    List<String> one = List.of("a:1");
    assertThat(RemoteConnection.config(one, Duration.ofSeconds(30)).connectTimeout())
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(RemoteConnection.config(one, Duration.ofMillis(500)).connectTimeout())
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void noAnswerAtAllIsUnavailable() {
    assertThat(kvorum.run("status", "--endpoints", "a:1,b:2")).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(kvorum.out().lines()).hasSize(3);
  }

  private static NodeStatus node(String id, String role) {
    return new NodeStatus(
        "",
        "test",
        id,
        "0.1",
        role,
        4,
        Optional.of("n1"),
        new NodeStatus.LogPosition(12, 11, 10, 9),
        new NodeStatus.Snapshots(
            7,
            4_096,
            5,
            67_108_864,
            new NodeStatus.Transfer(512, 1_024, List.of("n3")),
            "receives a snapshot"),
        new NodeStatus.Disk("low", 100L << 20, 192L << 20, false),
        8,
        0,
        new SpaceUse(1_200, 2_000, 300, false),
        "sync",
        MEMBERS,
        List.of(
            new NodeStatus.Feature("snapshots", false, ""),
            new NodeStatus.Feature("state-checks", true, ""),
            new NodeStatus.Feature("magic", false, "the version of n4 does not know magic"),
            new NodeStatus.Feature("disk-space", false, "n3 is not reached"),
            new NodeStatus.Feature("quota", false, "n3 is not reached")),
        Optional.empty());
  }
}
