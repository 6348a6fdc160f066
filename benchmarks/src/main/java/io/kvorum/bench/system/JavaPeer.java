package io.kvorum.bench.system;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.server.net.Ports;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A peer that is a Java library: one main class for its servers, one port for each of them. */
public final class JavaPeer implements SystemUnderTest {
  private static final List<String> JVM_OPTIONS = List.of("-Xmx1g", "-XX:+UseG1GC");
  private static final String HOST = "127.0.0.1";

  /**
   * Which one.
   *
   * @param name also the folder of its libraries
   * @param version as its libraries have it
   * @param promises see {@link SystemUnderTest#promises}
   * @param settings that are not its defaults, for a reader
   * @param servers its main class: takes all servers, host:port,…; which of them it is, from 0; its
   *     directory. It says when it is ready
   */
  public record Description(
      String name,
      String version,
      String promises,
      List<String> settings,
      Set<Workload> workloads,
      Class<?> servers,
      Class<? extends StoreFactory> clients) {}

  private final Description peer;
  private final Libraries libraries;

  /** It, with its libraries among these. */
  public JavaPeer(Description peer, Libraries libraries) {
    this.peer = peer;
    this.libraries = libraries;
  }

  @Override
  public String name() {
    return peer.name();
  }

  @Override
  public String version() {
    return peer.version();
  }

  @Override
  public String promises() {
    return peer.promises();
  }

  @Override
  public String flags() {
    String options = String.join(" ", JVM_OPTIONS);
    return peer.settings().isEmpty() ? options : options + " " + String.join(" ", peer.settings());
  }

  @Override
  public Set<Workload> workloads() {
    return peer.workloads();
  }

  @Override
  public Class<? extends StoreFactory> clients() {
    return peer.clients();
  }

  @Override
  public String clientClassPath() {
    return libraries.of(peer.name());
  }

  @Override
  public Cluster start(Path directory, int nodes) throws InterruptedException {
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
        processes.start(
            name, Libraries.java(JVM_OPTIONS, clientClassPath(), peer.servers(), arguments));
      }
      processes.awaitReady();
    } catch (InterruptedException | RuntimeException failed) {
      processes.close();
      throw failed;
    }
    return processes;
  }
}
