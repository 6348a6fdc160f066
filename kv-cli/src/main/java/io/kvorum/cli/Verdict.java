package io.kvorum.cli;

import io.kvorum.api.KvException;
import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.server.backup.BackupException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;

/**
 * The last line of a command of which one wants to know one thing only: {@code NAME: OK …} with
 * exit code 0, or {@code NAME: FAILED …} with exit code 1. Wrong usage is neither.
 */
final class Verdict {
  private Verdict() {}

  /**
   * Does the work and says what came of it.
   *
   * @param work gives what stands behind OK
   */
  static int of(String command, Output out, Supplier<String> work) {
    try {
      out.line(command + ": OK " + work.get());
      return ExitCode.DONE;
    } catch (KvException refused) {
      return failed(command, out, Failures.describe(refused));
    } catch (BackupException | DirectoryInUseException | UncheckedIOException expected) {
      return failed(command, out, String.valueOf(expected.getMessage()));
    }
  }

  private static int failed(String command, Output out, String why) {
    out.line(command + ": FAILED " + why.replace('\n', ' '));
    return ExitCode.FAILED;
  }
}
