package io.kvorum.cli;

import io.kvorum.cli.process.LocalCluster;
import io.kvorum.cli.process.NodeAddress;
import io.kvorum.cli.process.ServerProcess;
import io.kvorum.cli.process.ServerProcessException;
import io.kvorum.server.net.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.random.RandomGenerator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvorum up}. */
@Command(
    name = "up",
    description = {
      "Run a cluster on this machine: one server process for each node, on the loopback address.",
      "Node i of 1, 2, … serves clients on BASE + i - 1 and its peers on BASE + 99 + i. Its log"
          + " comes out here, behind its name. Ctrl-C ends all of them; their data stays in DIR,"
          + " and the next up with the same DIR goes on with it.",
      "A node that ends by itself is reported with its exit code; the others go on."
    })
final class UpCommand implements Callable<Integer> {
  private static final int NODES_DEFAULT = 3;
  private static final int NODES_MAX = 9;
  private static final int PEER_PORT_OFFSET = 100;
  private static final Duration READY_LIMIT = Duration.ofMinutes(5);

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "How many nodes, 1 to 9. Default: as many as DIR has already, else 3.")
  private int nodes;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where the data is kept. Default: ./kvorum-data")
  private Path directory = Path.of("kvorum-data");

  @Option(
      names = "--port",
      paramLabel = "BASE",
      description = "The client port of the first node. Default: 7400")
  private int base = 7400;

  private final Terminal terminal;
  private final RandomGenerator random;

  UpCommand(Terminal terminal, RandomGenerator random) {
    this.terminal = terminal;
    this.random = random;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (nodes < 0 || nodes > NODES_MAX) {
      throw CommandFailure.usage("--nodes must be 1 to " + NODES_MAX + ", was " + nodes);
    }
    if (base < 1 || base + PEER_PORT_OFFSET + NODES_MAX > 65_535) {
      throw CommandFailure.usage("--port must be 1 to 65426, was " + base);
    }
    ClusterShape shape = ClusterShape.open(directory, nodes, NODES_DEFAULT, random);
    List<NodeAddress> addresses = addresses(shape.nodes());
    checkPorts(addresses);
    LogMixer mixer = new LogMixer(new Output(terminal), terminal);
    LocalCluster.Config config =
        new LocalCluster.Config(directory, shape.clusterId(), addresses, List.of(), Map.of());
    try (LocalCluster cluster = new LocalCluster(config, mixer::of)) {
      return run(cluster, mixer);
    }
  }

  private int run(LocalCluster cluster, LogMixer mixer) throws InterruptedException {
    try {
      cluster.startAll(READY_LIMIT);
    } catch (ServerProcessException failed) {
      throw CommandFailure.resource(failed.getMessage() + "; its log above says why");
    }
    explain(cluster, mixer);
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (String name : cluster.names()) {
      ServerProcess process = cluster.process(name);
      ends.add(process.onExit().thenAccept(code -> mixer.up(name + ending(cluster, code))));
    }
    CompletableFuture<Void> allEnded =
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    try {
      CompletableFuture.anyOf(allEnded, mixer.outputClosed()).get();
    } catch (ExecutionException closed) {
      if (closed.getCause() instanceof CommandFailure failure) {
        throw failure;
      }
      throw new IllegalStateException("waiting for the servers", closed);
    }
    if (cluster.isClosed()) {
      return ExitCode.DONE;
    }
    throw CommandFailure.resource("no node is left");
  }

  private static String ending(LocalCluster cluster, int code) {
    return (cluster.isClosed() ? " ended" : " ended by itself") + " with exit code " + code;
  }

  private void explain(LocalCluster cluster, LogMixer mixer) {
    String endpoints = String.join(",", cluster.endpoints());
    mixer.up(cluster.names().size() + " nodes run, their data is in " + directory);
    mixer.up("export " + ClientOptions.ENDPOINTS_VARIABLE + "=" + endpoints);
    mixer.up("kvorum put greeting hello; kvorum get greeting; kvorum status");
    mixer.up("Ctrl-C ends all of them");
  }

  private List<NodeAddress> addresses(int count) {
    List<NodeAddress> addresses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      addresses.add(new NodeAddress("n" + (i + 1), base + i, base + PEER_PORT_OFFSET + i));
    }
    return addresses;
  }

  private static void checkPorts(List<NodeAddress> addresses) {
    for (NodeAddress node : addresses) {
      checkPort(node.clientPort(), "for clients of " + node.name());
      checkPort(node.peerPort(), "for peers of " + node.name());
    }
  }

  private static void checkPort(int port, String purpose) {
    if (!Ports.isFree(port)) {
      throw CommandFailure.resource(
          "port "
              + port
              + " ("
              + purpose
              + ") is in use, perhaps by another cluster, which commands without --endpoints would"
              + " reach. Choose other ports with --port; up then says how to reach its nodes");
    }
  }
}
