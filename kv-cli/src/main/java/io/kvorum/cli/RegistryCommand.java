package io.kvorum.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code kvorum registry} without a command. */
@Command(
    name = "registry",
    description = "Where services say where they are, and clients find them.",
    synopsisSubcommandLabel = "COMMAND")
final class RegistryCommand implements Callable<Integer> {
  /** The command with those below it. */
  static CommandLine line(Terminal terminal, ClientFactory clients) {
    CommandLine line = new CommandLine(new RegistryCommand());
    add(line, "register", new RegistryRegisterCommand(terminal, clients));
    add(line, "list", new RegistryListCommand(terminal, clients));
    add(line, "watch", new RegistryWatchCommand(terminal, clients));
    return line;
  }

  private static void add(CommandLine line, String name, ClientCommand command) {
    line.addSubcommand(name, CommonOptions.addTo(new CommandLine(command)));
  }

  @Override
  public Integer call() {
    throw CommandFailure.usage("which command? register, list or watch");
  }
}
