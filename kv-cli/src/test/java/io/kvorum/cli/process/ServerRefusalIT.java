package io.kvorum.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.server.net.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a server process refuses to start with: a clear message, an exit code of its own, and
 * nothing in the data directory damaged, so that the right start still works (FAULTS F048, F152,
 * F045).
 */
class ServerRefusalIT {
  private static final int DATA_DIRECTORY = 6;
  private static final int RESOURCE = 7;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path root;
  private Path data;
  private int clientPort;
  private int peerPort;

  @BeforeEach
  void makeADirectoryWithData() throws Exception {
    data = root.resolve("data");
    List<Integer> ports = Ports.free(2, ProcessHandle.current().pid());
    clientPort = ports.get(0);
    peerPort = ports.get(1);
    try (ServerProcess server = start(Map.of())) {
      server.awaitReady(LIMIT);
      put("kept", "value");
    }
  }

  /** What a process printed, and its exit code. */
  private record Ended(int exitCode, String output) {}

  @Test
  void twoServersOnOneDirectory() throws Exception {
    try (ServerProcess first = start(Map.of())) {
      first.awaitReady(LIMIT);
      List<Integer> others = Ports.free(2, ProcessHandle.current().pid() + 1);
      Ended second = run(Map.of("members", "n1=127.0.0.1:" + others.get(0) + ":" + others.get(1)));
      assertThat(second.exitCode()).isEqualTo(DATA_DIRECTORY);
      assertThat(second.output()).contains(data.toString()).contains("in use");
      assertThat(get("kept")).isEqualTo("value");
    }
  }

  @Test
  void aDirectoryOfAnotherCluster() throws Exception {
    refusedUntouched(Map.of("cluster-id", "other"), "cluster kvorum", "cluster other");
  }

  @Test
  void aChangedNodeId() throws Exception {
    refusedUntouched(
        Map.of("node-id", "n2", "members", "n2=127.0.0.1:" + clientPort + ":" + peerPort),
        "node n1",
        "n2");
  }

  @Test
  void aPortInUse() throws Exception {
    try (ServerSocket taken = new ServerSocket(clientPort, 1, InetAddress.getLoopbackAddress())) {
      Ended ended = run(Map.of());
      assertThat(ended.exitCode()).isEqualTo(RESOURCE);
      assertThat(ended.output()).contains("" + taken.getLocalPort()).contains("in use");
    }
    startsAndHasTheData();
  }

  @Test
  void aVoteFileThatIsMissing() throws Exception {
    Path vote = data.resolve("vote");
    byte[] content = Files.readAllBytes(vote);
    Files.delete(vote);
    refusedUntouched(Map.of(), "vote");
    Files.write(vote, content);
    startsAndHasTheData();
  }

  @Test
  void aPeersFileThatIsMissing() throws Exception {
    Files.delete(data.resolve("peers"));
    refusedUntouched(Map.of(), "peers");
  }

  @Test
  void aStateThatIsDamagedIsBuiltAnewFromTheLog() throws Exception {
    Path state = data.resolve("state");
    try (Stream<Path> files = Files.list(state)) {
      for (Path file : files.filter(f -> f.toString().contains("MANIFEST")).toList()) {
        Files.writeString(file, "damaged");
      }
    }
    startsAndHasTheData();
    assertThat(data.resolve("damaged-state")).as("what was found, to look at").isDirectory();
  }

  @Test
  void anIdentityFileThatIsMissing() throws Exception {
    Files.delete(data.resolve("identity"));
    refusedUntouched(Map.of(), "identity");
  }

  @Test
  void aLogThatIsMissing() throws Exception {
    try (Stream<Path> files = Files.list(data.resolve("log"))) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Ended ended = run(Map.of());
    assertThat(ended.exitCode()).isEqualTo(DATA_DIRECTORY);
    assertThat(ended.output()).contains("log");
  }

  @Test
  void aDirectoryThatCannotBeMade() throws Exception {
    Path file = Files.writeString(root.resolve("file"), "not a directory");
    Ended ended = run(Map.of("data-dir", file.resolve("below").toString()));
    assertThat(ended.exitCode()).isEqualTo(RESOURCE);
    assertThat(ended.output()).contains(file.toString());
  }

  @Test
  void settingsThatAreWrong() throws Exception {
    assertThat(run(Map.of("node-id", "n9")).exitCode()).isEqualTo(2);
    assertThat(run(Map.of("members", "n1=nowhere")).output()).contains("host:clientPort:peerPort");
    assertThat(run(Map.of("heartbeat-millis", "soon")).output()).contains("heartbeat-millis");
    assertThat(run(Map.of("no-such-setting", "1")).exitCode()).isEqualTo(2);
    startsAndHasTheData();
  }

  private void refusedUntouched(Map<String, String> settings, String... words) throws Exception {
    SortedMap<String, String> before = content();
    Ended ended = run(settings);
    assertThat(ended.exitCode()).as(ended.output()).isEqualTo(DATA_DIRECTORY);
    assertThat(ended.output()).contains(words);
    assertThat(content()).isEqualTo(before);
  }

  private void startsAndHasTheData() throws Exception {
    try (ServerProcess server = start(Map.of())) {
      server.awaitReady(LIMIT);
      assertThat(get("kept")).isEqualTo("value");
    }
  }

  private SortedMap<String, String> content() throws IOException {
    SortedMap<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        content.put(
            data.relativize(file).toString(),
            bytes.length + " " + HexFormat.of().toHexDigits(Arrays.hashCode(bytes)));
      }
    }
    // RocksDB writes its log of messages anew at each start; that is no data.
    content.keySet().removeIf(name -> name.contains("LOG"));
    return content;
  }

  private List<String> command(Map<String, String> more) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("data-dir", data.toString());
    settings.put("members", "n1=127.0.0.1:" + clientPort + ":" + peerPort);
    settings.putAll(more);
    return ServerCommandLine.of(List.of(), settings);
  }

  private ServerProcess start(Map<String, String> more) {
    return ServerProcess.start("n1", command(more), line -> {});
  }

  private Ended run(Map<String, String> more) throws Exception {
    List<String> lines = new ArrayList<>();
    try (ServerProcess process =
        ServerProcess.start(
            "refused",
            command(more),
            line -> {
              synchronized (lines) {
                lines.add(line);
              }
            })) {
      int exitCode = process.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      synchronized (lines) {
        return new Ended(exitCode, String.join("\n", lines));
      }
    } catch (UncheckedIOException failed) {
      throw new AssertionError("the process could not be run", failed);
    }
  }

  private void put(String key, String value) {
    try (RemoteKvClient client = connect()) {
      client.blocking().put(Bytes.utf8(key), Bytes.utf8(value));
    }
  }

  private String get(String key) {
    try (RemoteKvClient client = connect()) {
      Bytes found = client.blocking().get(Bytes.utf8(key)).value().orElse(Bytes.EMPTY);
      return new String(found.toByteArray(), UTF_8);
    }
  }

  private RemoteKvClient connect() {
    return RemoteKvClient.connect(
        ClientConfig.builder()
            .endpoints("127.0.0.1:" + clientPort)
            .requestTimeout(Duration.ofSeconds(20))
            .build());
  }
}
