package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.client.TakenSnapshot;
import io.kvorum.node.SystemClock;
import io.kvorum.server.KvNode;
import io.kvorum.server.backup.BackupSource;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs commands in this JVM on a {@link FakeClient}, and keeps what they wrote. */
final class CommandLineHarness {
  final FakeClient client = new FakeClient();
  final FakeAdmin admin = new FakeAdmin();
  final Map<String, String> environment = new HashMap<>();

  /** What nodes say, by endpoint; the others do not answer. */
  final Map<String, NodeStatus> nodes = new LinkedHashMap<>();

  private @Nullable KvNode node;
  private byte[] in = new byte[0];
  private byte[] out = new byte[0];
  private String err = "";
  private boolean terminal;
  private boolean isRemote;
  private int bytesUntilBrokenPipe = Integer.MAX_VALUE;
  int connections;
  @Nullable List<String> connectedTo;
  @Nullable Duration timeout;
  @Nullable Map<String, String> serverFlags;

  CommandLineHarness withInput(byte[] bytes) {
    in = bytes;
    return this;
  }

  CommandLineHarness onTerminal() {
    terminal = true;
    return this;
  }

  CommandLineHarness withReaderThatLeavesAfter(int bytes) {
    bytesUntilBrokenPipe = bytes;
    return this;
  }

  /** On a real store, for what a {@link FakeClient} is too simple for; it is not closed. */
  CommandLineHarness on(KvNode real) {
    node = real;
    return this;
  }

  /** Over the network, to servers that are there. */
  CommandLineHarness remote() {
    isRemote = true;
    return this;
  }

  /** Runs the command; returns its exit code. */
  int run(String... arguments) {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    Terminal surroundings =
        new Terminal(
            new ByteArrayInputStream(in),
            breaking(written),
            new PrintWriter(errors, true, UTF_8),
            environment,
            false,
            terminal,
            terminal);
    Commands commands =
        new Commands(
            surroundings,
            this::connect,
            new RecordingServer(),
            new SystemClock(),
            () -> new SplittableRandom(1));
    int code = commands.run(arguments);
    out = written.toByteArray();
    err = errors.toString(UTF_8);
    return code;
  }

  String out() {
    return new String(out, UTF_8);
  }

  byte[] outBytes() {
    return out;
  }

  String err() {
    return err;
  }

  private OutputStream breaking(OutputStream sink) {
    return new OutputStream() {
      private int left = bytesUntilBrokenPipe;

      @Override
      public void write(int b) throws IOException {
        if (left-- <= 0) {
          throw new IOException("Broken pipe");
        }
        sink.write(b);
      }
    };
  }

  private Connection connect(List<String> endpoints, Duration limit) {
    if (isRemote) {
      return RemoteConnection.open(endpoints, limit);
    }
    if (endpoints.stream().anyMatch(endpoint -> !endpoint.contains(":"))) {
      throw new IllegalArgumentException("expected host:port");
    }
    connectedTo = endpoints;
    timeout = limit;
    connections++;
    return new Connection() {
      @Override
      public KvClient client() {
        return node != null ? node : client;
      }

      @Override
      public ClusterAdmin admin() {
        return admin;
      }

      @Override
      public CompletableFuture<NodeStatus> status(String endpoint) {
        NodeStatus status = nodes.get(endpoint);
        return status != null ? CompletableFuture.completedFuture(status) : unreachable();
      }

      @Override
      public CompletableFuture<TakenSnapshot> takeSnapshot(String endpoint, Duration patience) {
        return unreachable();
      }

      @Override
      public BackupSource backupSource(String endpoint, Duration patience) {
        throw new KvException.Unavailable("connection refused");
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }

  private static <T> CompletableFuture<T> unreachable() {
    return CompletableFuture.failedFuture(new KvException.Unavailable("connection refused"));
  }

  /** Stands in for the server: remembers its flags, and refuses one value. */
  private final class RecordingServer implements ServerRunner {
    @Override
    public List<Flag> flags() {
      return List.of(
          new Flag("node-id", "n1", "Name of this node."),
          new Flag("members", "n1=127.0.0.1:7400:7500", "All members, 100 % of them."));
    }

    @Override
    public int run(
        @Nullable Path file,
        Map<String, String> variables,
        Map<String, String> flags,
        PrintStream output,
        PrintStream errors) {
      serverFlags = Map.copyOf(flags);
      if (flags.containsValue("bad")) {
        throw new IllegalArgumentException("node-id is bad");
      }
      return ExitCode.NODE_STOPPED;
    }
  }
}
