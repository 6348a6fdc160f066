package io.kvorum.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code kvorum log} without a command. */
@Command(
    name = "log",
    description = "Look at the log of a node that does not run. Nothing is changed.",
    synopsisSubcommandLabel = "COMMAND")
final class LogCommand implements Callable<Integer> {
  /** The command with those below it. */
  static CommandLine line(Terminal terminal) {
    CommandLine line = new CommandLine(new LogCommand());
    line.addSubcommand(
        "verify", CommonOptions.addTo(new CommandLine(new LogVerifyCommand(terminal))));
    line.addSubcommand("dump", CommonOptions.addTo(new CommandLine(new LogDumpCommand(terminal))));
    return line;
  }

  @Override
  public Integer call() {
    throw CommandFailure.usage("which command? verify or dump");
  }
}
