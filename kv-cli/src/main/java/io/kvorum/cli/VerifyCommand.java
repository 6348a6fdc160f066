package io.kvorum.cli;

import io.kvorum.server.backup.Backup;
import io.kvorum.server.backup.BackupException;
import io.kvorum.server.backup.BackupLabel;
import io.kvorum.server.backup.Backups;
import io.kvorum.server.store.StateSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvorum verify}. */
@Command(
    name = "verify",
    description = {
      "Read all of a backup, and make sure that every byte is what it was, and every row of the"
          + " state in it what the cluster had. Changes nothing, and needs no cluster.",
      "The last line begins with \"verify: OK\", or with \"verify: FAILED\" and which file is"
          + " damaged, and then the exit code is 1."
    })
final class VerifyCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "PATH", description = "The backup.")
  private Path path = Path.of("");

  private final Terminal terminal;

  VerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (Output out = new Output(terminal)) {
      return Verdict.of("verify", out, this::verify);
    }
  }

  private String verify() {
    Backup backup = open(path);
    StateSummary state = Backups.verify(backup);
    BackupLabel label = backup.label();
    return "%s holds revisions %d to %d of cluster %s as of %s, state hash %s: %d files, %d bytes"
        .formatted(
            path,
            Math.max(1, state.compactRevision()),
            state.revision(),
            label.clusterId(),
            Instant.ofEpochMilli(state.logTimeMillis()),
            state.hash(),
            label.files(),
            label.bytes());
  }

  /** Opens a backup, and makes nothing where there is none. */
  static Backup open(Path path) {
    if (!Files.isDirectory(path)) {
      throw new BackupException(path + " is no directory");
    }
    return Backups.open(path);
  }
}
