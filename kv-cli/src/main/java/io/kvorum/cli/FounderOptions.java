package io.kvorum.cli;

import io.kvorum.client.Endpoint;
import io.kvorum.server.Member;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.backup.Restore;
import io.kvorum.server.net.Ports;
import io.kvorum.server.store.RestoredState;
import io.kvorum.server.store.StateSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which node of which new cluster a directory is made for. */
final class FounderOptions {
  private static final int FIRST_PORT = 7400;
  private static final int LAST_PORT = 65_000;

  /** Up to nine nodes of one cluster have neighbouring ports. */
  private static final int PORT_STEP = 10;

  private static final int PEER_PORT_OFFSET = 100;

  @Option(
      names = {"--dir", "--data-dir"},
      required = true,
      paramLabel = "DIR",
      description = "The data directory to make; it must not exist, or be empty.")
  private Path directory = Path.of("");

  @Option(
      names = "--cluster-id",
      paramLabel = "ID",
      description =
          "What the new cluster is called, unlike the old one. Default: a random name, which is"
              + " printed.")
  private @Nullable String clusterId;

  @Option(
      names = "--node-id",
      paramLabel = "ID",
      description = "The node that shall use the directory. Default: n1.")
  private String nodeId = "n1";

  @Option(
      names = "--members",
      paramLabel = "LIST",
      description =
          "The founders of the new cluster, as for \"server\": id=host:clientPort:peerPort,"
              + " separated by commas. Default: this node alone, at 127.0.0.1:7400:7500, or, where"
              + " another node has these ports now, at the first of :7410:7510, :7420:7520, … that"
              + " are free.")
  private @Nullable String members;

  Path directory() {
    return directory;
  }

  /** As the server would take them; what it would refuse is wrong usage. */
  Restore.Options options(RandomGenerator random, RestoredState.Options state) {
    String cluster = clusterId;
    if (cluster == null) {
      cluster = "r-%016x".formatted(random.nextLong());
    }
    try {
      List<Member> founders = new ArrayList<>();
      for (String member : membersText().split(",", -1)) {
        founders.add(Member.parse(member.strip()));
      }
      ServerConfig config =
          ServerConfig.embedded(directory)
              .nodeId(nodeId)
              .clusterId(cluster)
              .members(founders)
              .build();
      return new Restore.Options(cluster, config.nodeId(), config.initial(), state);
    } catch (IllegalArgumentException refused) {
      throw CommandFailure.usage(String.valueOf(refused.getMessage()));
    }
  }

  /**
   * The revision that an option names: the first one is 1.
   *
   * @param given null: it does not say
   * @return 0 for the newest
   */
  static long revision(String option, @Nullable Long given) {
    if (given == null) {
      return 0;
    }
    if (given < 1) {
      throw CommandFailure.usage(
          "%s is at least 1, not %d: revision 1 is before the first change; without it, the newest"
                  .formatted(option, given)
              + " is meant");
    }
    return given;
  }

  /** Chosen once: what is begun with these is told to be started with the same. */
  private String membersText() {
    String known = members;
    if (known == null) {
      known = nodeId + "=" + alone();
      members = known;
    }
    return known;
  }

  /** Next to the cluster that it comes from, it must be reached under other ports. */
  private static String alone() {
    for (int port = FIRST_PORT; port <= LAST_PORT; port += PORT_STEP) {
      int peers = port + PEER_PORT_OFFSET;
      if (Ports.isFree(port) && Ports.isFree(peers)) {
        return "127.0.0.1:" + port + ":" + peers;
      }
    }
    throw CommandFailure.resource("no ports are free on this machine: say --members");
  }

  /** Where its founders will serve clients, for those who shall reach it and no other cluster. */
  void reach(Output out) {
    String endpoints =
        Stream.of(membersText().split(",", -1))
            .map(text -> Member.parse(text.strip()))
            .map(member -> new Endpoint(member.host(), member.clientPort()).toString())
            .collect(Collectors.joining(","));
    out.line("talk to it: export " + ClientOptions.ENDPOINTS_VARIABLE + "=" + endpoints);
  }

  /** Refuses to give a new cluster the name of the old one. */
  static void checkCluster(Restore.Options options, String former) {
    if (options.clusterId().equals(former)) {
      throw CommandFailure.usage(
          "--cluster-id must differ from "
              + options.clusterId()
              + ", which is the cluster that it is made from: else nodes of that cluster could join"
              + " the new one");
    }
  }

  /** How the node is started. */
  void nextSteps(Restore.Options options, Output out) {
    out.line(
        "start it: kvorum server --data-dir %s --cluster-id %s --node-id %s --members %s"
            .formatted(directory, options.clusterId(), nodeId, membersText()));
  }

  /** What was made. */
  String text(Restore.Options options, StateSummary state) {
    return "%s is of node %s of cluster %s: revision %d, history from %d, entry %d, state hash %s"
        .formatted(
            directory,
            nodeId,
            options.clusterId(),
            state.revision(),
            Math.max(1, state.compactRevision()),
            state.applied().index(),
            state.hash());
  }
}
