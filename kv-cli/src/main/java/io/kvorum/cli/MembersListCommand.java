package io.kvorum.cli;

import io.kvorum.api.AdminOptions;
import picocli.CommandLine.Command;

/** {@code kvorum members list}. */
@Command(
    name = "list",
    description = "Print the members by which the leader acts now, with their role and address.")
final class MembersListCommand extends ClientCommand {
  MembersListCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    // Nothing to check: there are no arguments.
  }

  @Override
  int run(Connection connection, Output out) {
    AdminOptions timed = new AdminOptions(options().timeout());
    MembersTable.print(
        MembersTable.await(connection.admin().members(timed)), options().json(), out);
    return ExitCode.DONE;
  }
}
