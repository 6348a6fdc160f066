package io.kvorum.cli;

import io.kvorum.server.inspect.LogLook;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code kvorum log dump}. */
@Command(
    name = "dump",
    description = {
      "Print the entries of a log, a line for each: index, term, type, bytes of its content, and"
          + " what it says; of values only how long they are.",
      "Exit code 1: the log is damaged; the last line on standard error says where."
    })
final class LogDumpCommand implements Callable<Integer> {
  @Mixin private final OfflineDirectory directory = new OfflineDirectory();

  @Option(
      names = "--from",
      paramLabel = "INDEX",
      description = "The first entry that is wanted. Default: the first there is.")
  private long from = 1;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many entries at most. Default: all.")
  private long limit = Long.MAX_VALUE;

  private final Terminal terminal;

  LogDumpCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    CommandFailure.checkAtLeast("--from", 1, from);
    CommandFailure.checkAtLeast("--limit", 1, limit);
    return directory.look(
        quiet -> {
          try (LogLook log = LogLook.at(quiet.disk(), 0);
              Output out = new Output(terminal)) {
            if (log == null) {
              throw CommandFailure.local(directory.path() + " holds no log");
            }
            log.entries(from, limit, entry -> out.line(LogLook.text(entry)));
            out.flush();
            log.damages().forEach(damage -> terminal.err().println("damaged: " + damage));
            return log.isDamaged() ? ExitCode.DAMAGED : ExitCode.DONE;
          }
        });
  }
}
