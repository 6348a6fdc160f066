package io.kvorum.bench.peer.kvorum;

import io.kvorum.bench.system.ParentLife;
import io.kvorum.cli.process.LocalCluster;
import io.kvorum.cli.process.ServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * Starts the servers of a build, in a process with the class path of that build: so they run its
 * code, with the JVM options and the defaults that it gives them.
 *
 * <p>Of that build it uses {@link LocalCluster} only. It ends its servers when it is ended, and
 * they end themselves when it is gone.
 */
public final class KvorumServers {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private KvorumServers() {}

  /**
   * Starts them, and then prints a line that {@link KvorumBuild} reads: ready, endpoints, process
   * ids.
   *
   * @param arguments where data and logs go, which exists; how many
   */
  public static void main(String[] arguments) throws InterruptedException {
    ParentLife.tie();
    LocalCluster.Config config =
        LocalCluster.Config.onFreePorts(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
    try (LocalCluster cluster = LocalCluster.withLogFiles(config)) {
      cluster.startAll(START_LIMIT);
      String pids =
          cluster.names().stream()
              .map(name -> Long.toString(cluster.process(name).pid()))
              .collect(Collectors.joining(","));
      System.out.println(
          ServerProcess.READY_PREFIX + String.join(",", cluster.endpoints()) + " " + pids);
      // Until a signal ends us.
      new CountDownLatch(1).await();
    }
  }
}
