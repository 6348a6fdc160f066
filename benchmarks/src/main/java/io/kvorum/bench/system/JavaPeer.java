package io.kvorum.bench.system;

import io.kvorum.server.net.Ports;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Starts the servers of a peer that is a Java library: one main class, one port for each. */
public final class JavaPeer {
  /** For each server; its peers are libraries and give no other. */
  public static final List<String> JVM_OPTIONS = List.of("-Xmx1g", "-XX:+UseG1GC");

  private static final String HOST = "127.0.0.1";

  private JavaPeer() {}

  /**
   * Starts them, and waits until each has said that it is ready.
   *
   * @param main takes all servers, host:port,…; which of them it is, from 0; its directory
   */
  public static Cluster start(Path directory, int nodes, String classPath, Class<?> main)
      throws InterruptedException {
    String all =
        Ports.free(nodes, ProcessHandle.current().pid()).stream()
            .map(port -> HOST + ":" + port)
            .collect(Collectors.joining(","));
    Processes processes = new Processes(directory, all);
    try {
      for (int i = 0; i < nodes; i++) {
        String name = "n" + (i + 1);
        List<String> arguments =
            List.of(all, Integer.toString(i), directory.resolve(name).toString());
        processes.start(name, Libraries.java(JVM_OPTIONS, classPath, main, arguments));
      }
      processes.awaitReady();
    } catch (InterruptedException | RuntimeException failed) {
      processes.close();
      throw failed;
    }
    return processes;
  }
}
