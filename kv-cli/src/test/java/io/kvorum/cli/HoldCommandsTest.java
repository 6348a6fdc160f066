package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.server.KvNode;
import io.kvorum.server.ServerConfig;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** lock, elect and registry: commands that run as long as something is held. */
class HoldCommandsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir static Path data;
  private static KvNode node;

  @TempDir Path directory;

  private final CommandLineHarness kvorum = new CommandLineHarness().on(node);

  @BeforeAll
  static void start() {
    node = KvNode.start(ServerConfig.embedded(data).build());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  /** In the background, with a harness of its own. */
  private static CompletableFuture<Integer> start(CommandLineHarness harness, String... command) {
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Thread thread = new Thread(() -> code.complete(harness.run(command)), "command");
    thread.start();
    return code;
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private static boolean isWritten(Path file) throws IOException {
    return Files.exists(file) && Files.readString(file).endsWith("\n");
  }

  /** Says in the file what it found, then waits for the other file. */
  private String script(Path says, Path goes) {
    return "echo $KVORUM_FENCE $$ > " + says + "; while [ ! -e " + goes + " ]; do sleep 0.02; done";
  }

  private static long held(String prefix) {
    return node.blocking().range(KeyRange.prefix(Bytes.utf8(prefix))).count();
  }

  @Test
  void aCommandRunsUnderTheLockAndItsExitCodeIsOurs() throws IOException {
    String script = "echo $KVORUM_FENCE > " + file("fence") + "; exit 7";
    assertThat(kvorum.run("lock", "l/code", "--", "sh", "-c", script)).isEqualTo(7);
    long first = Long.parseLong(Files.readString(file("fence")).strip());
    assertThat(held("l/code/")).isZero();
    assertThat(kvorum.run("lock", "l/code", "--", "sh", "-c", script)).isEqualTo(7);
    assertThat(Long.parseLong(Files.readString(file("fence")).strip())).isGreaterThan(first);
    assertThat(kvorum.out()).isEmpty();
    assertThat(kvorum.run("lock", "l/code", "--", "no-such-program"))
        .isEqualTo(ExitCode.COMMAND_NOT_RUN);
    assertThat(kvorum.err()).startsWith("kvorum lock: cannot run no-such-program");
    assertThat(kvorum.run("lock", "l/code", "--", "sh", "-c", "kill -9 $$")).isEqualTo(128 + 9);
  }

  @Test
  void whoeverWaitsTooLongGivesUpAndRunsNothing() throws IOException {
    CommandLineHarness holder = new CommandLineHarness().on(node);
    CompletableFuture<Integer> code =
        start(holder, "lock", "l/busy", "--", "sh", "-c", script(file("says"), file("goes")));
    Await.until("it is held", LIMIT, () -> isWritten(file("says")));
    String[] second = {"lock", "l/busy", "--wait", "100ms", "--", "touch", file("ran") + ""};
    assertThat(kvorum.run(second)).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(kvorum.err()).contains("l/busy is held by others");
    Files.createFile(file("goes"));
    assertThat(code.orTimeout(30, TimeUnit.SECONDS).join()).isZero();
    assertThat(file("ran")).doesNotExist();
    assertThat(kvorum.run(second)).isZero();
    assertThat(file("ran")).exists();
  }

  /** The lease is revoked behind its back; the command does not want to end. */
  @Test
  void whenTheLockIsLostTheCommandIsEnded() throws IOException {
    String stubborn = "trap '' TERM; sleep 61 & " + script(file("says"), file("never"));
    CompletableFuture<Integer> code =
        start(
            kvorum, "lock", "l/lost", "--ttl=2s", "--kill-after=100ms", "--", "sh", "-c", stubborn);
    Await.until("it is held", LIMIT, () -> isWritten(file("says")));
    long pid = Long.parseLong(Files.readString(file("says")).strip().split(" ", -1)[1]);
    ProcessHandle child = ProcessHandle.of(pid).orElseThrow();
    ProcessHandle sleep = child.children().findFirst().orElseThrow();
    BlockingKvClient kv = node.blocking();
    long lease = kv.range(KeyRange.prefix(Bytes.utf8("l/lost/"))).keyValues().get(0).lease();
    kv.leases().revoke(lease);
    assertThat(code.orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo(ExitCode.LOST);
    assertThat(child.isAlive()).isFalse();
    assertThat(sleep.isAlive()).isFalse();
    assertThat(kvorum.err()).contains("the lock l/lost is lost").contains("sh was ended");
  }

  @Test
  void theLeaderIsToldToOthersAndResigns() throws IOException {
    CommandLineHarness leader = new CommandLineHarness().on(node);
    CompletableFuture<Integer> code =
        start(
            leader,
            "elect",
            "e/one",
            "10.0.0.1",
            "--",
            "sh",
            "-c",
            script(file("says"), file("goes")));
    Await.until("it leads", LIMIT, () -> isWritten(file("says")));
    String term = Files.readString(file("says")).split(" ", -1)[0];
    assertThat(kvorum.run("elect", "e/one", "--observe", "--max-events=1")).isZero();
    assertThat(kvorum.out()).isEqualTo(term + " 10.0.0.1\n");
    assertThat(kvorum.run("elect", "e/one", "--observe", "--max-events=1", "-o", "json")).isZero();
    assertThat(kvorum.out()).startsWith("{\"term\":" + term + ",\"value\":\"10.0.0.1\",\"lease\":");
    Files.createFile(file("goes"));
    assertThat(code.orTimeout(30, TimeUnit.SECONDS).join()).isZero();
    assertThat(kvorum.run("elect", "e/one", "--observe", "--max-events=1")).isZero();
    assertThat(kvorum.out()).isEqualTo("0\n");
  }

  @Test
  void anInstanceIsFoundWhileItsCommandRuns() throws IOException {
    CommandLineHarness instance = new CommandLineHarness().on(node);
    CommandLineHarness watcher = new CommandLineHarness().on(node);
    CompletableFuture<Integer> watched =
        start(watcher, "registry", "watch", "web", "--max-events=2");
    CompletableFuture<Integer> code =
        start(
            instance,
            "registry",
            "register",
            "web",
            "w-1",
            "10.0.0.1:80",
            "--meta",
            "zone=a",
            "--",
            "sh",
            "-c",
            script(file("says"), file("goes")));
    Await.until("it runs", LIMIT, () -> isWritten(file("says")));
    assertThat(kvorum.run("registry", "list", "web")).isZero();
    assertThat(kvorum.out())
        .isEqualTo("ID   ADDRESS      HEALTH  METADATA\nw-1  10.0.0.1:80  UP      zone=a\n");
    assertThat(kvorum.run("registry", "list", "web", "-o", "json")).isZero();
    assertThat(kvorum.out())
        .isEqualTo(
            "{\"id\":\"w-1\",\"address\":\"10.0.0.1:80\",\"health\":\"UP\","
                + "\"metadata\":{\"zone\":\"a\"}}\n");
    Files.createFile(file("goes"));
    assertThat(code.orTimeout(30, TimeUnit.SECONDS).join()).isZero();
    assertThat(watched.orTimeout(30, TimeUnit.SECONDS).join()).isZero();
    assertThat(watcher.out())
        .isEqualTo("added w-1 10.0.0.1:80 UP zone=a\nremoved w-1 10.0.0.1:80 UP zone=a\n");
    assertThat(kvorum.run("registry", "list", "web")).isEqualTo(ExitCode.NOT_FOUND);
  }

  @Test
  void withoutACommandTheLockIsHeldUntilAnInterrupt() {
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Thread thread = new Thread(() -> code.complete(kvorum.run("lock", "l/quiet")), "interrupted");
    thread.start();
    Await.until("it is held", LIMIT, () -> held("l/quiet/") == 1);
    thread.interrupt();
    assertThat(code.orTimeout(30, TimeUnit.SECONDS).join())
        .isIn(ExitCode.INTERRUPTED, ExitCode.LOST);
    Await.until("it is free", LIMIT, () -> held("l/quiet/") == 0);
  }
}
