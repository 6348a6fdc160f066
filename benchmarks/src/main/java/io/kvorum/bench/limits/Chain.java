package io.kvorum.bench.limits;

import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.Processes;
import io.kvorum.server.net.Ports;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A leader and two followers, each a process, and the one connection to the leader. */
final class Chain implements AutoCloseable {
  private static final List<String> JVM_OPTIONS = List.of("-Xmx64m", "-XX:+UseSerialGC");
  private static final int NODES = 3;

  private final Processes processes;
  private final SocketChannel client;

  private Chain(Processes processes, SocketChannel client) {
    this.processes = processes;
    this.client = client;
  }

  /**
   * Starts them, and connects.
   *
   * @param directory gets their files and logs
   * @throws io.kvorum.cli.process.ServerProcessException if one of them ends
   */
  static Chain start(Path directory) throws IOException, InterruptedException {
    List<Integer> ports = Ports.free(NODES, ProcessHandle.current().pid());
    Processes processes = new Processes(directory, "");
    try {
      for (int i = 1; i < NODES; i++) {
        start(processes, directory, "follower-" + i, ports.subList(i, i + 1));
      }
      processes.awaitReady();
      start(processes, directory, "leader", ports);
      processes.awaitReady();
      return new Chain(processes, Wire.connect(ports.get(0)));
    } catch (IOException | InterruptedException | RuntimeException failed) {
      processes.close();
      throw failed;
    }
  }

  /**
   * @param ports its own, and then those that it connects to
   */
  private static void start(Processes processes, Path directory, String name, List<Integer> ports) {
    List<String> arguments = new ArrayList<>();
    arguments.add(Integer.toString(ports.get(0)));
    arguments.add(directory.resolve(name + ".data").toString());
    ports.stream().skip(1).map(port -> Integer.toString(port)).forEach(arguments::add);
    processes.start(name, Libraries.java(JVM_OPTIONS, Libraries.own(), ChainMain.class, arguments));
  }

  SocketChannel client() {
    return client;
  }

  /** Ends them all. */
  @Override
  public void close() throws IOException {
    try {
      client.close();
    } finally {
      processes.close();
    }
  }
}
