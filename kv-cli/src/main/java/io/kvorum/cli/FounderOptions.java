package io.kvorum.cli;

import io.kvorum.server.Member;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.backup.Backup;
import io.kvorum.server.backup.Restore;
import io.kvorum.server.store.RestoredState;
import io.kvorum.server.store.StateSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which node of which new cluster a directory is made for. */
final class FounderOptions {
  private static final String ALONE = "127.0.0.1:7400:7500";

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
              + " separated by commas. Default: this node alone, at "
              + ALONE
              + ".")
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
          "%s is at least 1, before the first change, not %d; without it, the newest is meant"
              .formatted(option, given));
    }
    return given;
  }

  private String membersText() {
    String given = members;
    return given == null ? nodeId + "=" + ALONE : given;
  }

  /** Refuses to give a new cluster the name of the old one. */
  static void checkCluster(Restore.Options options, Backup backup) {
    if (options.clusterId().equals(backup.label().clusterId())) {
      throw CommandFailure.usage(
          "--cluster-id must differ from "
              + options.clusterId()
              + ", of which the backup is: else nodes of that cluster could join the new one");
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
