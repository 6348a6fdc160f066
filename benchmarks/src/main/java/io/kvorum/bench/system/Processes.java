package io.kvorum.bench.system;

import io.kvorum.cli.process.FileLog;
import io.kvorum.cli.process.ServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Server processes of one system, with their output in {@code directory/name.log}. */
public final class Processes implements Cluster {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final Path directory;
  private final String endpoints;
  private final List<ServerProcess> servers = new ArrayList<>();

  /**
   * Starts nothing yet.
   *
   * @param endpoints what clients are told
   */
  public Processes(Path directory, String endpoints) {
    this.directory = directory;
    this.endpoints = endpoints;
  }

  /**
   * Starts a server.
   *
   * @param command ends with its standard input, so that it does not outlive us
   */
  public void start(String name, List<String> command) {
    FileLog log = new FileLog(directory.resolve(name + ".log"));
    servers.add(ServerProcess.start(name, command, log));
  }

  /** Waits until each of them has printed the line that says ready. */
  public void awaitReady() throws InterruptedException {
    for (ServerProcess server : servers) {
      server.awaitReady(START_LIMIT);
    }
  }

  @Override
  public List<Long> pids() {
    return servers.stream().map(ServerProcess::pid).toList();
  }

  @Override
  public String endpoints() {
    return endpoints;
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::terminate);
    servers.forEach(ServerProcess::close);
  }
}
