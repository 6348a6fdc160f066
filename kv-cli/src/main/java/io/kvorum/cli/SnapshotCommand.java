package io.kvorum.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code kvorum snapshot} without a command. */
@Command(
    name = "snapshot",
    description = "Look at the snapshots of a node that does not run. Nothing is changed.",
    synopsisSubcommandLabel = "COMMAND")
final class SnapshotCommand implements Callable<Integer> {
  /** The command with those below it. */
  static CommandLine line(Terminal terminal) {
    CommandLine line = new CommandLine(new SnapshotCommand());
    line.addSubcommand(
        "inspect", CommonOptions.addTo(new CommandLine(new SnapshotInspectCommand(terminal))));
    return line;
  }

  @Override
  public Integer call() {
    throw CommandFailure.usage("which command? inspect");
  }
}
