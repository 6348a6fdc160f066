package io.kvorum.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.server.net.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real child processes: ready, dead, paused, orphaned. */
@Timeout(60)
class ServerProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  @Test
  void itIsReadyWhenItSaysSoAndEndsOnSigterm() throws Exception {
    try (ServerProcess child = start("ready")) {
      child.awaitReady(LIMIT);
      assertThat(child.isAlive()).isTrue();
      assertThat(child.exitCode()).isEmpty();
      assertThat(lines).containsExactly("started", "ready node=x");
      child.stop();
      assertThat(child.isAlive()).isFalse();
      assertThat(child.exitCode()).hasValue(128 + 15);
    }
  }

  @Test
  void oneThatEndsInsteadIsReportedWithItsExitCode() {
    try (ServerProcess child = start("exit", "7")) {
      assertThatThrownBy(() -> child.awaitReady(LIMIT))
          .isInstanceOf(ServerProcessException.class)
          .hasMessage("child ended with exit code 7");
      assertThat(child.onExit().join()).isEqualTo(7);
    }
  }

  @Test
  void oneThatNeverGetsReadyIsNotWaitedForForEver() {
    try (ServerProcess child = start("silent")) {
      assertThatThrownBy(() -> child.awaitReady(Duration.ofMillis(200)))
          .hasMessage("child did not serve within 0.2 s");
    }
  }

  @Test
  void kill9LeavesItNoTime() throws Exception {
    try (ServerProcess child = start("ready")) {
      child.awaitReady(LIMIT);
      child.kill9();
      assertThat(child.exitCode()).hasValue(128 + 9);
    }
  }

  @Test
  void aPausedProcessStandsStillAndGoesOnAndCanBeClosed() throws Exception {
    try (ServerProcess child = start("ready")) {
      child.awaitReady(LIMIT);
      child.pause();
      assertThat(state(child)).isEqualTo('T');
      child.resume();
      assertThat(state(child)).isNotEqualTo('T');
      child.pause();
      child.stop();
      assertThat(child.exitCode()).hasValue(128 + 15);
    }
  }

  @Test
  void aChildDoesNotOutliveItsParentThatIsKilled() throws Exception {
    ServerProcess parent = start("parent");
    String line = lines.poll(20, TimeUnit.SECONDS);
    while (line != null && !line.startsWith("child ")) {
      line = lines.poll(20, TimeUnit.SECONDS);
    }
    assertThat(line).isNotNull();
    ProcessHandle child =
        ProcessHandle.of(Long.parseLong(line.substring("child ".length()))).orElseThrow();
    parent.kill9();
    child.onExit().get(20, TimeUnit.SECONDS);
    assertThat(child.isAlive()).isFalse();
  }

  @Test
  void freePortsAreDifferentAndFree() {
    List<Integer> ports = Ports.free(6, ProcessHandle.current().pid());
    assertThat(ports).doesNotHaveDuplicates().hasSize(6).allMatch(Ports::isFree);
  }

  @Test
  void aPortThatSomebodyListensOnIsNotFree() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(Ports.isFree(socket.getLocalPort())).isFalse();
    }
  }

  private ServerProcess start(String... arguments) {
    return ServerProcess.start("child", ChildMain.command(arguments), lines::add);
  }

  /** Of the process, as Linux tells it: T is stopped. */
  private static char state(ServerProcess child) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + child.pid() + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }
}
