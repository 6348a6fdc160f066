package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.cli.process.KvorumProcess;
import io.kvorum.cli.process.KvorumProcess.Ended;
import io.kvorum.cli.process.LocalCluster;
import io.kvorum.cli.process.ServerProcess;
import io.kvorum.server.net.Ports;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands as a shell runs them, against servers in processes of their own. */
class CommandLineIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private static Path directory;
  private static LocalCluster cluster;

  @BeforeAll
  static void start() throws InterruptedException {
    cluster =
        LocalCluster.withLogFiles(
            LocalCluster.Config.onFreePorts(directory, 3).withSettings(Map.of("segment-mib", "8")));
    cluster.startAll(LIMIT);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void whatOneCommandPutsAnotherGets() throws Exception {
    assertThat(kvorum("put", "greeting", "grüß dich").code()).isZero();
    assertThat(kvorum("get", "greeting")).isEqualTo(new Ended(0, "grüß dich\n", ""));
    assertThat(kvorum("get", "nothing").code()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(kvorum("get", "").code()).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum("get").code()).isEqualTo(ExitCode.USAGE);
    Ended dead = kvorum("get", "k", "--endpoints", "127.0.0.1:1", "--timeout", "300ms");
    assertThat(dead.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(dead.out()).isEmpty();
    assertThat(dead.err()).startsWith("kvorum get: unavailable: ").hasLineCount(1);
  }

  @Test
  void keysAreTheSameInEveryLocale() throws Exception {
    Map<String, String> ascii = Map.of("LC_ALL", "C");
    assertThat(kvorum(ascii, new byte[0], "put", "schlüssel/日本", "ä").code()).isZero();
    assertThat(kvorum("get", "schlüssel/日本").out()).isEqualTo("ä\n");
    assertThat(kvorum(ascii, new byte[0], "get", "schlüssel/日本").out()).isEqualTo("ä\n");
    assertThat(kvorum("get", "schl??ssel/??????").code()).isEqualTo(ExitCode.NOT_FOUND);
  }

  @Test
  void pagesOfARangeAreOneRevision() throws Exception {
    StringBuilder file = new StringBuilder();
    for (int i = 0; i < 2500; i++) {
      file.append("{\"key\":\"page/").append(10_000 + i).append("\",\"value\":\"v\"}\n");
    }
    Ended stored =
        kvorum(Map.of(), file.toString().getBytes(UTF_8), "import", "-", "--format", "jsonl");
    assertThat(stored.out()).startsWith("stored 2500 in ");
    assertThat(kvorum("range", "page/", "--keys-only").out().lines()).hasSize(2500).isSorted();
    assertThat(kvorum("range", "page/", "--count").out()).isEqualTo("2500\n");
    assertThat(kvorum("export", "page/").out().lines().toList())
        .isEqualTo(file.toString().lines().toList());
    assertThat(kvorum("del", "--prefix", "page/").out()).isEqualTo("2500\n");
  }

  @Test
  void statusShowsAllNodes() throws Exception {
    Ended status = kvorum("status");
    assertThat(status.out().lines()).hasSize(6);
    assertThat(status.out())
        .contains("leader", "follower", "\nfeatures: snapshots", "\ncluster: local\n");
    assertThat(kvorum("status", "--endpoints", "127.0.0.1:1").code())
        .isEqualTo(ExitCode.UNAVAILABLE);
  }

  /** F083: who is removed hears of it, and its process ends with a code of its own. */
  @Test
  void aNodeJoinsAndIsRemovedAgain(@TempDir Path data) throws Exception {
    List<Integer> ports = Ports.free(2, ProcessHandle.current().pid() + 11);
    String fourth = "n4=127.0.0.1:" + ports.get(0) + ":" + ports.get(1);
    List<String> present = kvorum("members", "list").out().lines().skip(1).toList();
    assertThat(present).hasSize(3);
    StringBuilder members = new StringBuilder(fourth);
    for (String line : present) {
      String[] cells = line.split(" +", -1);
      members.append(',').append(cells[0]).append('=').append(cells[2]);
    }
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    ServerProcess joiner =
        ServerProcess.start(
            "n4",
            KvorumProcess.command(
                "server",
                "--node-id=n4",
                "--cluster-id=local",
                "--join=true",
                "--segment-mib=8",
                "--data-dir=" + data.resolve("n4"),
                "--members=" + members),
            lines::add);
    try {
      Await.until("it runs", LIMIT, () -> anyContains(lines, "ready node=n4"));
      Ended added = kvorum("members", "add", fourth);
      assertThat(added.err()).isEmpty();
      assertThat(added.out().lines()).hasSize(1 + 4);
      assertThat(kvorum("members", "remove", "n4").out().lines()).hasSize(1 + 3);
      Await.until("it ends", LIMIT, () -> !joiner.isAlive());
      assertThat(joiner.exitCode()).hasValue(ExitCode.NODE_REMOVED);
      assertThat(lines).anyMatch(line -> line.contains("n4 was removed from its group"));
    } finally {
      joiner.kill9();
    }
  }

  /** SIGTERM ends the command first, then the lock is let go, long before its lease would end. */
  @Test
  void aLockIsLetGoWhenItsProcessIsToldToEnd() throws Exception {
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    String endpoints = "--endpoints=" + String.join(",", cluster.endpoints());
    ServerProcess holder =
        ServerProcess.start(
            "lock",
            KvorumProcess.command(
                "lock", endpoints, "--ttl=60s", "door", "--", "sh", "-c", "echo held; sleep 61"),
            lines::add);
    try {
      Await.until("it is held", LIMIT, () -> anyContains(lines, "held"));
      ProcessHandle child =
          ProcessHandle.of(holder.pid()).orElseThrow().children().findFirst().orElseThrow();
      assertThat(kvorum("lock", "door", "--wait=50ms", "--", "true").code())
          .isEqualTo(ExitCode.UNAVAILABLE);
      holder.terminate();
      Await.until("it ends", LIMIT, () -> !holder.isAlive());
      assertThat(holder.exitCode()).hasValue(128 + 15);
      assertThat(child.isAlive()).isFalse();
      assertThat(kvorum("lock", "door", "--wait=10s", "--", "sh", "-c", "exit 5").code())
          .isEqualTo(5);
    } finally {
      holder.kill9();
    }
  }

  @Test
  void upEndsItsServersEvenWhenItIsKilled(@TempDir Path data) throws Exception {
    int base = freeBase();
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    ServerProcess up = up(lines, data.resolve("up"), base);
    Await.until("up is ready", LIMIT, () -> anyContains(lines, "Ctrl-C"));
    assertThat(KvorumProcess.serversOn(data)).hasSize(2);
    up.kill9();
    Await.until("all ended", LIMIT, () -> KvorumProcess.serversOn(data).isEmpty());

    Queue<String> again = new ConcurrentLinkedQueue<>();
    ServerProcess second = up(again, data.resolve("up"), base);
    Await.until("up is ready again", LIMIT, () -> anyContains(again, "Ctrl-C"));
    second.stop();
    assertThat(KvorumProcess.serversOn(data)).isEmpty();
    assertThat(second.exitCode()).hasValue(128 + 15);
    assertThat(again).noneMatch(line -> line.contains("by itself"));
  }

  @Test
  void upSaysWhichPortIsTakenAndWhatTheDirectoryHolds(@TempDir Path data) throws Exception {
    int base = freeBase();
    try (var taken = new ServerSocket(base + 1, 1, InetAddress.getLoopbackAddress())) {
      Ended up = kvorum("up", "--dir", data + "/a", "--port", Integer.toString(base));
      assertThat(up.code()).isEqualTo(ExitCode.RESOURCE);
      assertThat(up.err()).contains("port " + taken.getLocalPort() + " (for clients of n2)");
      Ended other = kvorum("up", "--dir", data + "/a", "--nodes", "5");
      assertThat(other.code()).isEqualTo(ExitCode.LOCAL);
      assertThat(other.err()).contains("a cluster of 3 nodes, not 5");
      assertThat(kvorum("up", "--dir", data.toString()).code()).isEqualTo(ExitCode.LOCAL);
    }
  }

  private static ServerProcess up(Queue<String> lines, Path data, int base) {
    return ServerProcess.start(
        "up",
        KvorumProcess.command(
            "up", "--nodes", "2", "--dir", data.toString(), "--port", Integer.toString(base)),
        lines::add);
  }

  private static boolean anyContains(Queue<String> lines, String text) {
    return lines.stream().anyMatch(line -> line.contains(text));
  }

  /** A base whose ports, also those of the peers, are free. */
  private static int freeBase() {
    for (int base : Ports.free(50, ProcessHandle.current().pid() + 7)) {
      if (List.of(0, 1, 2, 100, 101, 102).stream().allMatch(i -> Ports.isFree(base + i))) {
        return base;
      }
    }
    throw new AssertionError("no free ports");
  }

  private static Ended kvorum(String... arguments) throws IOException, InterruptedException {
    return kvorum(Map.of(), new byte[0], arguments);
  }

  private static Ended kvorum(Map<String, String> more, byte[] in, String... arguments)
      throws IOException, InterruptedException {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("KVORUM_ENDPOINTS", String.join(",", cluster.endpoints()));
    return KvorumProcess.run(LIMIT, environment, in, arguments);
  }
}
