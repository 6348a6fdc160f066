package io.kvorum.bench.peer.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.bench.system.Cluster;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.Processes;
import io.kvorum.bench.system.SystemUnderTest;
import io.kvorum.server.net.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** etcd with its defaults; its command must be on the path. */
public final class EtcdSystem implements SystemUnderTest {
  /** Its name. */
  public static final String NAME = "etcd";

  /** Of the client; the server's own is asked for. */
  static final String CLIENT_VERSION = "0.8.6";

  private static final String HOST = "127.0.0.1";

  /** Room for long runs: at the default of 2 GiB etcd refuses writes. */
  private static final String QUOTA_BYTES = "8589934592";

  /**
   * Runs a command that ends with its standard input, which etcd does not look at: a second process
   * waits for that. The first argument names it, as in ps.
   */
  private static final String TIED =
      "exec 3<&0 </dev/null; ( while read -r _ <&3; do :; done; kill -9 $$ ) 2>/dev/null &"
          + " exec \"$@\" 3<&-";

  private final Libraries libraries;

  /** With the client's libraries among these. */
  public EtcdSystem(Libraries libraries) {
    this.libraries = libraries;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    try {
      Process asked = new ProcessBuilder("etcd", "--version").redirectErrorStream(true).start();
      try (BufferedReader output = asked.inputReader(UTF_8)) {
        String first = output.lines().findFirst().orElse("");
        return first.replaceFirst("etcd Version: ", "") + ", jetcd " + CLIENT_VERSION;
      }
    } catch (IOException missing) {
      throw new IllegalArgumentException(
          "no etcd on the path: install Debian's etcd-server, or leave out --peer etcd", missing);
    }
  }

  @Override
  public String promises() {
    return "synced before the ack; linearizable reads";
  }

  @Override
  public String flags() {
    return "--quota-backend-bytes=" + QUOTA_BYTES;
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  @Override
  public Class<? extends StoreFactory> clients() {
    return EtcdStores.class;
  }

  @Override
  public String clientClassPath() {
    return libraries.of(NAME);
  }

  @Override
  public Cluster start(Path directory, int nodes) {
    List<Integer> ports = Ports.free(2 * nodes, ProcessHandle.current().pid());
    List<String> clients = new ArrayList<>();
    List<String> peers = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      clients.add(url(ports.get(2 * i)));
      peers.add("n" + (i + 1) + "=" + url(ports.get(2 * i + 1)));
    }
    Processes processes = new Processes(directory, String.join(",", clients));
    for (int i = 0; i < nodes; i++) {
      String name = "n" + (i + 1);
      List<String> command = new ArrayList<>(List.of("sh", "-c", TIED, name, "etcd"));
      command.addAll(
          flags(name, directory.resolve(name), clients.get(i), url(ports.get(2 * i + 1)), peers));
      processes.start(name, command);
    }
    return processes;
  }

  private static List<String> flags(
      String name, Path data, String client, String peer, List<String> cluster) {
    return List.of(
        "--name=" + name,
        "--data-dir=" + data,
        "--listen-client-urls=" + client,
        "--advertise-client-urls=" + client,
        "--listen-peer-urls=" + peer,
        "--initial-advertise-peer-urls=" + peer,
        "--initial-cluster=" + String.join(",", cluster),
        "--initial-cluster-state=new",
        "--quota-backend-bytes=" + QUOTA_BYTES,
        "--log-level=warn",
        "--logger=zap");
  }

  private static String url(int port) {
    return "http://" + HOST + ":" + port;
  }
}
