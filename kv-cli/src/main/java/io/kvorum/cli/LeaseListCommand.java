package io.kvorum.cli;

import io.kvorum.api.LeaseList;
import picocli.CommandLine.Command;

/** {@code kvorum lease list}. */
@Command(name = "list", description = "The ids of all leases.")
final class LeaseListCommand extends ClientCommand {
  LeaseListCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {}

  @Override
  int run(Connection connection, Output out) {
    LeaseList list = connection.client().blocking().leases().list();
    if (options().json()) {
      out.json(
          json -> {
            json.writeArrayFieldStart("leases");
            for (long id : list.ids()) {
              json.writeString(LeaseId.text(id));
            }
            json.writeEndArray();
          });
    } else {
      out.line("found " + list.ids().size() + " leases");
      list.ids().forEach(id -> out.line(LeaseId.text(id)));
    }
    return ExitCode.DONE;
  }
}
