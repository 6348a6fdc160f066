package io.kvorum.bench.peer.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.bench.system.Cluster;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.Processes;
import io.kvorum.bench.system.SystemUnderTest;
import io.kvorum.server.net.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** ZooKeeper with its defaults, and the heap that its own script gives it. */
public final class ZooKeeperSystem implements SystemUnderTest {
  /** Its name. */
  public static final String NAME = "zookeeper";

  /** As its libraries have it. */
  static final String VERSION = "3.9.5";

  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx1000m", "-Dzookeeper.admin.enableServer=false");
  private static final String HOST = "127.0.0.1";

  private final Libraries libraries;

  /** With its libraries among these. */
  public ZooKeeperSystem(Libraries libraries) {
    this.libraries = libraries;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return VERSION;
  }

  @Override
  public String promises() {
    return "synced before the ack; a read is sync and read; events without values";
  }

  @Override
  public String flags() {
    return String.join(" ", JVM_OPTIONS);
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  @Override
  public Class<? extends StoreFactory> clients() {
    return ZooKeeperStores.class;
  }

  @Override
  public String clientClassPath() {
    return libraries.of(NAME);
  }

  @Override
  public Cluster start(Path directory, int nodes) {
    List<Integer> ports = Ports.free(3 * nodes, ProcessHandle.current().pid());
    List<String> clients = new ArrayList<>();
    List<String> members = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      int peer = ports.get(3 * i + 1);
      int election = ports.get(3 * i + 2);
      clients.add(HOST + ":" + ports.get(3 * i));
      members.add("server." + (i + 1) + "=" + HOST + ":" + peer + ":" + election);
    }
    Processes processes = new Processes(directory, String.join(",", clients));
    for (int i = 0; i < nodes; i++) {
      String name = "n" + (i + 1);
      Path file = configure(directory.resolve(name), i + 1, ports.get(3 * i), members);
      processes.start(
          name,
          Libraries.java(
              JVM_OPTIONS, libraries.of(NAME), ZooKeeperServer.class, List.of(file.toString())));
    }
    return processes;
  }

  private static Path configure(Path data, int id, int port, List<String> members) {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "tickTime=2000",
                "initLimit=10",
                "syncLimit=5",
                "maxClientCnxns=0",
                "dataDir=" + data,
                "clientPortAddress=" + HOST,
                "clientPort=" + port));
    lines.addAll(members);
    try {
      Files.createDirectories(data);
      Files.writeString(data.resolve("myid"), Integer.toString(id), UTF_8);
      return Files.write(data.resolve("zoo.cfg"), lines, UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot write to " + data, failed);
    }
  }
}
