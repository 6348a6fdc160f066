package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.api.Bytes;
import io.kvorum.node.SystemClock;
import io.kvorum.raft.NodeId;
import io.kvorum.server.KvNode;
import io.kvorum.server.Member;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.net.Ports;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Run by the build, not by people: does once what commands usually do, so that the JVM can keep the
 * classes it loaded in an archive, and every later start maps them instead of reading jars.
 */
final class ArchiveTraining {
  private ArchiveTraining() {}

  public static void main(String[] arguments) throws IOException {
    Kvorum.prepareLibraries(false);
    List<Integer> ports = Ports.free(2, ProcessHandle.current().pid());
    Path directory = Files.createTempDirectory("kvorum-archive-");
    ServerConfig config =
        ServerConfig.embedded(directory.resolve("n1"))
            .members(List.of(new Member(new NodeId("n1"), "127.0.0.1", ports.get(0), ports.get(1))))
            .clientPortOpen(true)
            .segmentBytes(8 << 20)
            .build();
    int failed;
    try (KvNode node = KvNode.start(config)) {
      // The first write waits for the node to lead.
      node.put(Bytes.utf8("k"), Bytes.EMPTY).join();
      failed = commands("127.0.0.1:" + ports.get(0));
    } finally {
      delete(directory);
    }
    System.exit(failed);
  }

  /** Returns the first exit code that is not the one expected, else 0. */
  private static int commands(String endpoint) {
    String[][] lines = {
      {"--help"},
      {"put", "k", "v"},
      {"get", "k"},
      {"get", "k", "-o", "json"},
      {"range"},
      {"status"},
      {"status", "-o", "json"},
      {"import", "-", "--format", "jsonl"},
      {"export"},
      {"del", "k"},
    };
    for (String[] line : lines) {
      Terminal terminal =
          new Terminal(
              new ByteArrayInputStream(new byte[0]),
              OutputStream.nullOutputStream(),
              new PrintWriter(System.err, true, UTF_8),
              Map.of(ClientOptions.ENDPOINTS_VARIABLE, endpoint),
              false,
              false,
              false);
      Commands commands =
          new Commands(
              terminal,
              RemoteConnection::open,
              new KvServerRunner(),
              new SystemClock(),
              () -> new SplittableRandom(1));
      int code = commands.run(RawArguments.recover(line, "US-ASCII"));
      if (code != ExitCode.DONE) {
        return code;
      }
    }
    return ExitCode.DONE;
  }

  private static void delete(Path directory) throws IOException {
    List<Path> inside;
    try (var all = Files.walk(directory)) {
      inside = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : inside) {
      Files.delete(path);
    }
  }
}
