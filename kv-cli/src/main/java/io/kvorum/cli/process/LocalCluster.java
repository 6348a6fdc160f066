package io.kvorum.cli.process;

import io.kvorum.server.net.Ports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of real server processes on this machine: for {@code up}, for the demo, and for tests
 * that kill and pause. Ends all its processes when it is closed, and when this JVM ends.
 *
 * <p>Each node keeps its data in {@code directory/name}. Thread-safe.
 */
public final class LocalCluster implements AutoCloseable {
  private final Config config;
  private final Function<String, Consumer<String>> logs;
  private final Map<String, ServerProcess> processes = new LinkedHashMap<>();
  private final Thread hook = new Thread(this::closeProcesses, "end the servers");
  private boolean closed;

  /**
   * What the cluster is made of.
   *
   * @param jvmOptions for each server, behind the usual ones
   * @param settings for each server beside node id, cluster id, data directory and members; by the
   *     names of its flags without the dashes
   */
  public record Config(
      Path directory,
      String clusterId,
      List<NodeAddress> nodes,
      List<String> jvmOptions,
      Map<String, String> settings) {
    public Config {
      nodes = List.copyOf(nodes);
      jvmOptions = List.copyOf(jvmOptions);
      settings = Map.copyOf(settings);
    }

    /** Nodes n1, n2, … on free ports, with the settings' defaults. */
    public static Config onFreePorts(Path directory, int nodes) {
      List<Integer> ports = Ports.free(2 * nodes, ProcessHandle.current().pid());
      List<NodeAddress> addresses = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        addresses.add(new NodeAddress("n" + (i + 1), ports.get(2 * i), ports.get(2 * i + 1)));
      }
      return new Config(directory, "local", addresses, List.of(), Map.of());
    }

    /** With more settings for each server. */
    public Config withSettings(Map<String, String> more) {
      return new Config(directory, clusterId, nodes, jvmOptions, more);
    }
  }

  /**
   * Starts nothing yet.
   *
   * @param logs by node, what takes the lines of its output
   */
  public LocalCluster(Config config, Function<String, Consumer<String>> logs) {
    this.config = config;
    this.logs = logs;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** With logs in {@code directory/name.log}. */
  public static LocalCluster withLogFiles(Config config) {
    return new LocalCluster(config, name -> new FileLog(config.directory().resolve(name + ".log")));
  }

  /** Their names, in order. */
  public List<String> names() {
    return config.nodes().stream().map(NodeAddress::name).toList();
  }

  /** Where clients reach the nodes, in the same order. */
  public List<String> endpoints() {
    return config.nodes().stream().map(NodeAddress::endpoint).toList();
  }

  public String endpoint(String name) {
    return node(name).endpoint();
  }

  /**
   * Starts a node that does not run, and does not wait.
   *
   * @throws IllegalStateException if it runs, or the cluster is closed
   */
  public synchronized ServerProcess start(String name) {
    ServerProcess before = processes.get(name);
    if (closed || (before != null && before.isAlive())) {
      throw new IllegalStateException(closed ? "closed" : name + " runs already");
    }
    List<String> command = ServerCommandLine.of(config.jvmOptions(), settings(node(name)));
    ServerProcess started = ServerProcess.start(name, command, logs.apply(name));
    processes.put(name, started);
    return started;
  }

  public synchronized boolean isRunning(String name) {
    ServerProcess process = processes.get(name);
    return process != null && process.isAlive();
  }

  /** Whether its end has begun, so that processes which end do so because we want it. */
  public synchronized boolean isClosed() {
    return closed;
  }

  /** Starts all nodes and waits until each of them serves. */
  public void startAll(Duration limit) throws InterruptedException {
    for (String name : names()) {
      start(name);
    }
    for (String name : names()) {
      process(name).awaitReady(limit);
    }
  }

  /** Starts the node again and waits until it serves. */
  public void restart(String name, Duration limit) throws InterruptedException {
    start(name).awaitReady(limit);
  }

  /** SIGKILL; returns when the process is gone. */
  public void kill9(String name) throws InterruptedException {
    process(name).kill9();
  }

  /** SIGKILL for all of them, before any is waited for. */
  public void kill9All() throws InterruptedException {
    List<ServerProcess> all = all();
    for (ServerProcess process : all) {
      process.terminateForcibly();
    }
    for (ServerProcess process : all) {
      process.kill9();
    }
  }

  /** SIGSTOP: it stands still with its connections open. */
  public void pause(String name) throws InterruptedException {
    process(name).pause();
  }

  /** SIGCONT. */
  public void resume(String name) throws InterruptedException {
    process(name).resume();
  }

  /**
   * The process of the node, dead or alive.
   *
   * @throws IllegalStateException if it was never started
   */
  public synchronized ServerProcess process(String name) {
    ServerProcess process = processes.get(name);
    if (process == null) {
      throw new IllegalStateException(name + " was never started");
    }
    return process;
  }

  private synchronized List<ServerProcess> all() {
    return List.copyOf(processes.values());
  }

  private Map<String, String> settings(NodeAddress node) {
    Map<String, String> settings = new LinkedHashMap<>(config.settings());
    settings.put("node-id", node.name());
    settings.put("cluster-id", config.clusterId());
    settings.put("data-dir", config.directory().resolve(node.name()).toString());
    settings.put(
        "members",
        config.nodes().stream().map(NodeAddress::member).collect(Collectors.joining(",")));
    return settings;
  }

  private NodeAddress node(String name) {
    @Nullable NodeAddress found = null;
    for (NodeAddress node : config.nodes()) {
      if (node.name().equals(name)) {
        found = node;
      }
    }
    if (found == null) {
      throw new IllegalArgumentException(name + " is none of " + names());
    }
    return found;
  }

  /** Ends all processes, with SIGTERM first. */
  @Override
  public void close() {
    closeProcesses();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook runs, and finds nothing left to end.
      return;
    }
  }

  private void closeProcesses() {
    List<ServerProcess> all;
    synchronized (this) {
      closed = true;
      all = all();
    }
    all.forEach(ServerProcess::terminate);
    all.forEach(ServerProcess::close);
  }
}
