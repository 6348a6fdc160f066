package io.kvorum.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code kvorum members} without a command. */
@Command(
    name = "members",
    description = {
      "Who the members of the cluster are, and how to change them while it runs.",
      "A node that is to be added must run already, with --join and with the present members and"
          + " itself as --members."
    },
    synopsisSubcommandLabel = "COMMAND")
final class MembersCommand implements Callable<Integer> {
  /** The command with those below it. */
  static CommandLine line(Terminal terminal, ClientFactory clients) {
    CommandLine line = new CommandLine(new MembersCommand());
    add(line, "list", new MembersListCommand(terminal, clients));
    add(line, "add", new MembersAddCommand(terminal, clients));
    add(line, "remove", new MembersRemoveCommand(terminal, clients));
    add(line, "promote", new MembersPromoteCommand(terminal, clients));
    add(line, "replace", new MembersReplaceCommand(terminal, clients));
    add(line, "transfer", new MembersTransferCommand(terminal, clients));
    return line;
  }

  private static void add(CommandLine line, String name, ClientCommand command) {
    line.addSubcommand(name, CommonOptions.addTo(new CommandLine(command)));
  }

  @Override
  public Integer call() {
    throw CommandFailure.usage("which command? list, add, remove, promote, replace or transfer");
  }
}
