package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.MemberInfo;
import io.kvorum.api.NodeStatus;
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
    assertThat(lines).hasSize(6);
    assertThat(lines.subList(4, 6))
        .containsExactly("n1: receives a snapshot", "n2: receives a snapshot");
    assertThat(lines.get(0)).startsWith("ENDPOINT").endsWith("VERSION");
    assertThat(lines.get(1))
        .matches(
            "localhost:7400 +n1 +leader +4 +n1 +12 +11 +10 +9 +8 +low: 100 MiB, no reserve"
                + " .*0\\.1");
    assertThat(lines.get(2)).matches("10\\.0\\.0\\.2:7400 +n2 +follower .*");
    assertThat(lines.get(3)).matches("10\\.0\\.0\\.3:7400 +- +unreachable: connection refused");
  }

  @Test
  void jsonIsOneObjectForEachEndpoint() {
    kvorum.nodes.put("10.0.0.1:7400", node("n1", "leader"));
    assertThat(kvorum.run("status", "-o", "json", "--endpoints", "10.0.0.1:7400")).isZero();
    List<String> lines = kvorum.out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0))
        .contains("\"reachable\":true", "\"nodeId\":\"n1\"", "\"durableIndex\":11")
        .contains("\"matchIndex\":12", "\"leader\":\"n1\"")
        .contains("\"snapshotIndex\":7", "\"logFirstIndex\":5", "\"logBytes\":67108864")
        .contains("\"diskState\":\"low\"", "\"diskUsableBytes\":104857600")
        .contains("\"diskLowBytes\":201326592", "\"diskReserve\":false")
        .contains("\"activity\":\"receives a snapshot\"");
    assertThat(lines.get(1)).contains("\"reachable\":false", "\"failure\":\"connection refused\"");
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
        new NodeStatus.Snapshots(7, 4_096, 5, 67_108_864, "receives a snapshot"),
        new NodeStatus.Disk("low", 100L << 20, 192L << 20, false),
        8,
        0,
        "sync",
        MEMBERS,
        Optional.empty());
  }
}
