package io.kvorum.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code kvorum lease} without a command. */
@Command(
    name = "lease",
    description = {
      "Leases: keys that hang on one are deleted when it ends, if nobody renews it in time.",
      "To hang a key on a lease: kvorum put --lease ID KEY VALUE",
      "The ID of a lease is hexadecimal wherever a command takes or prints it; in JSON, too, where"
          + " it is a text of 16 digits."
    },
    synopsisSubcommandLabel = "COMMAND")
final class LeaseCommand implements Callable<Integer> {
  /** The command with those below it. */
  static CommandLine line(Terminal terminal, ClientFactory clients) {
    CommandLine line = new CommandLine(new LeaseCommand());
    add(line, "grant", new LeaseGrantCommand(terminal, clients));
    add(line, "revoke", new LeaseRevokeCommand(terminal, clients));
    add(line, "keep-alive", new LeaseKeepAliveCommand(terminal, clients));
    add(line, "timetolive", new LeaseTimeToLiveCommand(terminal, clients));
    add(line, "list", new LeaseListCommand(terminal, clients));
    return line;
  }

  private static void add(CommandLine line, String name, ClientCommand command) {
    line.addSubcommand(name, CommonOptions.addTo(new CommandLine(command)));
  }

  @Override
  public Integer call() {
    throw CommandFailure.usage("which command? grant, revoke, keep-alive, timetolive or list");
  }
}
