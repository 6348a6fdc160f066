package io.kvorum.bench.peer.kvorum;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.bench.system.Cluster;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.SystemUnderTest;
import io.kvorum.cli.process.FileLog;
import io.kvorum.cli.process.ServerProcess;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * One of two builds of Kvorum that are compared: servers of that build, a client of this one, so
 * that nothing differs but the servers. See {@link KvorumServers} for how these are started.
 */
public final class KvorumBuild implements SystemUnderTest {
  private static final Duration START_LIMIT = Duration.ofSeconds(90);
  private static final List<String> JVM_OPTIONS = List.of("-Xmx64m", "-XX:+UseSerialGC");

  private final KvorumSystem ofThisBuild = new KvorumSystem();
  private final String name;
  private final String version;
  private final String classPath;

  private KvorumBuild(String name, String version, String classPath) {
    this.name = name;
    this.version = version;
    this.classPath = classPath;
  }

  /** The build that this process is of. */
  public static KvorumBuild own() {
    return new KvorumBuild(KvorumSystem.NAME, new KvorumSystem().version(), Libraries.own());
  }

  /**
   * Another one.
   *
   * @param libraries the folder of its jars
   */
  public static KvorumBuild of(String name, Path libraries) {
    return new KvorumBuild(name, "in " + libraries, libraries.resolve("*").toString());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public String promises() {
    return ofThisBuild.promises();
  }

  @Override
  public String flags() {
    return "the defaults of that build";
  }

  @Override
  public Set<Workload> workloads() {
    return ofThisBuild.workloads();
  }

  @Override
  public Class<? extends StoreFactory> clients() {
    return ofThisBuild.clients();
  }

  @Override
  public String clientClassPath() {
    return ofThisBuild.clientClassPath();
  }

  @Override
  public Cluster start(Path directory, int nodes) throws InterruptedException {
    AtomicReference<String> ready = new AtomicReference<>("");
    FileLog log = new FileLog(directory.resolve("servers.log"));
    ServerProcess servers =
        ServerProcess.start(
            "the starter of the servers",
            command(directory, nodes),
            line -> {
              log.accept(line);
              if (line.startsWith(ServerProcess.READY_PREFIX)) {
                ready.set(line.substring(ServerProcess.READY_PREFIX.length()));
              }
            });
    try {
      servers.awaitReady(START_LIMIT);
    } catch (InterruptedException | RuntimeException failed) {
      servers.close();
      throw failed;
    }
    // Its line came to us before it came to whoever waits.
    return Started.parse(servers, ready.get());
  }

  /** Our main class comes first, and with it nothing of Kvorum but the benchmarks. */
  List<String> command(Path directory, int nodes) {
    String harness = Libraries.locationOf(KvorumServers.class).toString();
    return Libraries.java(
        JVM_OPTIONS,
        harness + File.pathSeparator + classPath,
        KvorumServers.class,
        List.of(directory.toString(), Integer.toString(nodes)));
  }

  private record Started(ServerProcess servers, String endpoints, List<Long> pids)
      implements Cluster {
    static Started parse(ServerProcess servers, String ready) {
      String[] parts = ready.split(" ", -1);
      return new Started(
          servers, parts[0], Stream.of(parts[1].split(",", -1)).map(Long::valueOf).toList());
    }

    @Override
    public void close() {
      servers.close();
    }
  }
}
