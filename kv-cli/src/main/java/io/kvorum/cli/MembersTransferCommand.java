package io.kvorum.cli;

import io.kvorum.api.AdminOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvorum members transfer}. */
@Command(
    name = "transfer",
    description =
        "Let a voter lead, and wait until it does: before the leader's machine is stopped.")
final class MembersTransferCommand extends ClientCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The voter that shall lead.")
  private String id = "";

  MembersTransferCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    // The cluster knows best who may lead.
  }

  @Override
  int run(Connection connection, Output out) {
    AdminOptions timed = new AdminOptions(options().timeout());
    MembersTable.await(connection.admin().transferLeadership(id, timed));
    if (options().json()) {
      out.json(json -> json.writeStringField("leader", id));
    } else {
      out.line(id + " leads");
    }
    return ExitCode.DONE;
  }
}
