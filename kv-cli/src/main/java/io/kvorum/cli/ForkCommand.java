package io.kvorum.cli;

import io.kvorum.api.NodeStatus;
import io.kvorum.server.backup.Backup;
import io.kvorum.server.backup.Backups;
import io.kvorum.server.backup.Restore;
import io.kvorum.server.store.RestoredState;
import io.kvorum.server.store.StateSummary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code kvorum fork}. */
@Command(
    name = "fork",
    description = {
      "Make a throw-away copy of a running cluster, or of a backup, that can be written to: the"
          + " data directory of a cluster of its own, with the revisions and history of the first"
          + " one. The cluster itself notices nothing.",
      "The last line begins with \"fork: OK\", or with \"fork: FAILED\", and then the exit code is"
          + " 1."
    })
final class ForkCommand extends ClientCommand {
  /** Behind the name of the directory: what is fetched, until it is there. */
  private static final String FETCHED = ".fetched";

  @Mixin private FounderOptions founder = new FounderOptions();

  @Option(
      names = "--at",
      paramLabel = "REVISION",
      description = "As of this revision, if it can still be read. Default: the newest.")
  private @Nullable Long at;

  @Option(names = "--from", paramLabel = "PATH", description = "Of this backup, without a cluster.")
  private @Nullable Path backup;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "How long the node may take for its snapshot. Default: 10m.")
  private Duration patience = Duration.ofMinutes(10);

  private final RandomGenerator random;

  ForkCommand(Terminal terminal, ClientFactory clients, RandomGenerator random) {
    super(terminal, clients);
    this.random = random;
  }

  @Override
  void check() {
    var unused = FounderOptions.revision("--at", at);
  }

  @Override
  int run(Connection connection, Output out) {
    long revision = FounderOptions.revision("--at", at);
    Restore.Options options = founder.options(random, new RestoredState.Options(revision, 0));
    return Verdict.of("fork", out, () -> fork(connection, options, out));
  }

  private String fork(Connection connection, Restore.Options options, Output out) {
    Backups.checkFree(founder.directory());
    Path given = backup;
    StateSummary state =
        given == null ? fetch(connection, options) : restore(VerifyCommand.open(given), options);
    founder.nextSteps(options, out);
    founder.reach(out);
    return founder.text(options, state);
  }

  private StateSummary fetch(Connection connection, Restore.Options options) {
    String endpoint = BackupCommand.choose(connection, options().endpoints(terminal()));
    NodeStatus source = MembersTable.await(connection.status(endpoint));
    FounderOptions.checkCluster(options, source.clusterId());
    Path directory = founder.directory();
    Path fetched = directory.resolveSibling(directory.getFileName() + FETCHED);
    Backups.delete(fetched);
    try {
      var unused =
          Backups.write(
              connection.backupSource(endpoint, patience),
              fetched,
              null,
              terminal().err()::println);
      return restore(Backups.open(fetched), options);
    } finally {
      Backups.delete(fetched);
    }
  }

  private StateSummary restore(Backup from, Restore.Options options) {
    FounderOptions.checkCluster(options, from.label().clusterId());
    return Backups.restore(from, founder.directory(), options, random);
  }
}
