package io.kvorum.cli;

import io.kvorum.server.inspect.LogLook;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kvorum log verify}. */
@Command(
    name = "verify",
    description = {
      "Read every record of a log, and say what is damaged: file, offset and entry.",
      "Exit code 1: something is."
    })
final class LogVerifyCommand implements Callable<Integer> {
  @Mixin private final OfflineDirectory directory = new OfflineDirectory();

  private final Terminal terminal;

  LogVerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    return directory.look(
        quiet -> {
          try (LogLook log = LogLook.at(quiet.disk(), 0);
              Output out = new Output(terminal)) {
            if (log == null) {
              throw CommandFailure.local(directory.path() + " holds no log");
            }
            return report(log, out);
          }
        });
  }

  private static int report(LogLook log, Output out) {
    out.line(
        "%d segments, entries %d to %s"
            .formatted(log.segments(), log.compacted().index() + 1, log.last()));
    if (log.underWay() != null) {
      out.line(log.underWay() + " was cut short; the next start finishes it");
    }
    if (!log.isDamaged()) {
      out.line("log: OK");
      return ExitCode.DONE;
    }
    log.damages().forEach(damage -> out.line("damaged: " + damage));
    out.line(
        "log: DAMAGED, whole up to %s; it reached %s at least"
            .formatted(log.last(), log.highest()));
    return ExitCode.DAMAGED;
  }
}
