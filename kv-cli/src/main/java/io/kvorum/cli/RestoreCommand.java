package io.kvorum.cli;

import io.kvorum.server.backup.Backup;
import io.kvorum.server.backup.BackupException;
import io.kvorum.server.backup.Backups;
import io.kvorum.server.backup.Restore;
import io.kvorum.server.store.RestoredState;
import io.kvorum.server.store.StateSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum restore}. */
@Command(
    name = "restore",
    description = {
      "Make of a backup the data directory of a node of a NEW cluster, which no node of the old one"
          + " can join. The backup is verified first.",
      "For a cluster of one, which can grow: restore, start the node, kvorum members add. For"
          + " several founders: run it for each, with the same backup, --members, --cluster-id and"
          + " other options, and its own --node-id and --dir.",
      "The last line begins with \"restore: OK\", or with \"restore: FAILED\", and then the exit"
          + " code is 1."
    })
final class RestoreCommand implements Callable<Integer> {
  /** More than any cluster makes between its last backup and its end. */
  private static final long BUMP_DEFAULT = 1_000_000_000;

  @Parameters(index = "0", paramLabel = "PATH", description = "The backup.")
  private Path path = Path.of("");

  @Mixin private FounderOptions founder = new FounderOptions();

  @Option(
      names = "--at-revision",
      paramLabel = "N",
      description =
          "Restore the state as of this revision, which the backup's history must reach. Default:"
              + " the newest.")
  private @Nullable Long atRevision;

  @Option(
      names = "--bump-revision",
      paramLabel = "N",
      description =
          "By how much the revision jumps, and all before it counts as compacted: so whoever still"
              + " knows revisions that the backup has not seen is told so, and no revision is given"
              + " twice. 0: it goes on where the backup ends, and history can be read. Default: "
              + BUMP_DEFAULT
              + ".")
  private long bump = BUMP_DEFAULT;

  @Option(
      names = "--archive",
      paramLabel = "DIR",
      description =
          "The \"archive-dir\" of the old cluster: what was written after the backup is replayed"
              + " from there, up to the revision or time that is asked for, else all.")
  private @Nullable Path archive;

  @Option(
      names = "--at-time",
      paramLabel = "TIME",
      description =
          "With --archive: restore the state as of this time of the log, such as"
              + " 2026-11-30T12:00:00Z.")
  private @Nullable Instant atTime;

  private final Terminal terminal;
  private final RandomGenerator random;

  RestoreCommand(Terminal terminal, RandomGenerator random) {
    this.terminal = terminal;
    this.random = random;
  }

  @Override
  public Integer call() {
    long revision = FounderOptions.revision("--at-revision", atRevision);
    if (bump < 0 || bump > RestoredState.Options.BUMP_MAX) {
      throw CommandFailure.usage(
          "--bump-revision is from 0 to " + RestoredState.Options.BUMP_MAX + ", not " + bump);
    }
    if (atTime != null && (archive == null || revision > 0)) {
      throw CommandFailure.usage(
          "--at-time needs --archive, since a backup alone does not know when what was written; and"
              + " no --at-revision");
    }
    Restore.Options options = founder.options(random, new RestoredState.Options(revision, bump));
    try (Output out = new Output(terminal)) {
      return Verdict.of("restore", out, () -> restore(options, out));
    }
  }

  private String restore(Restore.Options options, Output out) {
    Backup backup = VerifyCommand.open(path);
    FounderOptions.checkCluster(options, backup.label().clusterId());
    StateSummary state =
        Backups.restore(backup, founder.directory(), withArchive(options, backup), random);
    founder.nextSteps(options, out);
    return founder.text(options, state);
  }

  private Restore.Options withArchive(Restore.Options options, Backup backup) {
    Path directory = archive;
    if (directory == null) {
      return options;
    }
    if (!Files.isDirectory(directory)) {
      throw new BackupException("--archive " + directory + " is no directory");
    }
    Instant time = atTime;
    return options.with(
        Backups.archive(directory, backup.label().clusterId()),
        time == null ? 0 : time.toEpochMilli());
  }
}
