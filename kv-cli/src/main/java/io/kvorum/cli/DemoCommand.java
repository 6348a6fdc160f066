package io.kvorum.cli;

import io.kvorum.api.KvException;
import io.kvorum.cli.demo.Demo;
import io.kvorum.cli.demo.DemoFailure;
import io.kvorum.cli.demo.DemoResult;
import io.kvorum.cli.demo.ProcessDemoCluster;
import io.kvorum.cli.process.LocalCluster;
import io.kvorum.cli.process.ServerProcessException;
import io.kvorum.node.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvorum demo}. */
@Command(
    name = "demo",
    description = {
      "Show on real input that nothing acknowledged is lost: start three server processes, store"
          + " the characters of Unicode that the JDK knows, read them back, kill the leader with -9"
          + " under load, restart it, kill all three, restart them, and compare after each step.",
      "The last line is demo: OK and figures, or demo: FAILED and the exit code 1."
    })
final class DemoCommand implements Callable<Integer> {
  private static final int NODES = 3;
  private static final int QUICK_RECORDS = 10_000;
  private static final Duration OPERATION_LIMIT = Duration.ofSeconds(30);
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final Duration QUICK_LIMIT = Duration.ofMinutes(15);

  @Option(names = "--quick", description = "With 10,000 characters instead of all.")
  private boolean quick;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where the data and the servers' logs are kept; must not exist or be empty. Default: a"
              + " temporary directory, removed in the end unless the demo failed.")
  private @Nullable Path directory;

  private final Terminal terminal;
  private final ClientFactory clients;
  private final Clock clock;

  DemoCommand(Terminal terminal, ClientFactory clients, Clock clock) {
    this.terminal = terminal;
    this.clients = clients;
    this.clock = clock;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path chosen = directory == null ? Files.createTempDirectory("kvorum-demo-") : directory;
    checkEmpty(chosen);
    try (Output out = new Output(terminal)) {
      line(out, NODES + " servers on this machine; data and logs in " + chosen);
      boolean ok = false;
      String last;
      try {
        DemoResult result = run(chosen, out);
        ok = result.isOk();
        last = result.line();
      } catch (DemoFailure | ServerProcessException | UncheckedIOException failed) {
        last = "demo: FAILED " + String.valueOf(failed.getMessage()).replace('\n', ' ');
      }
      if (!ok) {
        line(out, "data and logs are left in " + chosen);
      } else if (directory == null) {
        delete(chosen);
      }
      line(out, last);
      return ok ? ExitCode.DONE : ExitCode.NOT_FOUND;
    }
  }

  private DemoResult run(Path chosen, Output out) throws InterruptedException {
    // Small files of the log, so that the full demonstration fills several of them.
    LocalCluster.Config config =
        LocalCluster.Config.onFreePorts(chosen, NODES).withSettings(Map.of("segment-mib", "16"));
    try (LocalCluster cluster = LocalCluster.withLogFiles(config);
        Connection connection = clients.connect(cluster.endpoints(), OPERATION_LIMIT)) {
      return run(cluster, connection, out);
    }
  }

  /** On a thread of its own, so that even a step that hangs ends in time. */
  private DemoResult run(LocalCluster cluster, Connection connection, Output out)
      throws InterruptedException {
    Demo demo =
        new Demo(
            new ProcessDemoCluster(cluster, connection.client(), connection::status),
            NODES,
            quick ? QUICK_RECORDS : Integer.MAX_VALUE,
            Duration.ofSeconds(quick ? 1 : 3),
            clock,
            text -> line(out, text));
    FutureTask<DemoResult> task = new FutureTask<>(demo::run);
    Thread thread = new Thread(task, "demo");
    thread.setDaemon(true);
    thread.start();
    Duration limit = quick ? QUICK_LIMIT : LIMIT;
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      thread.interrupt();
      throw new DemoFailure("not done within " + limit.toMinutes() + " minutes");
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      if (cause instanceof DemoFailure expected) {
        throw expected;
      }
      if (cause instanceof CommandFailure outputClosed) {
        throw outputClosed;
      }
      if (cause instanceof KvException expected) {
        throw new DemoFailure(Failures.describe(expected));
      }
      throw new DemoFailure(String.valueOf(cause).replace('\n', ' '));
    }
  }

  private static synchronized void line(Output out, String text) {
    out.line(text);
    out.flush();
  }

  private static void checkEmpty(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.local(directory + " is no directory");
    }
    try (var content = Files.list(directory)) {
      if (content.findAny().isPresent()) {
        throw CommandFailure.local(directory + " is not empty");
      }
    }
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
