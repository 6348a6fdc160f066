package io.kvorum.cli;

import io.kvorum.api.LeaseRevocation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvorum lease revoke}. */
@Command(name = "revoke", description = "End a lease, and delete the keys that hang on it.")
final class LeaseRevokeCommand extends ClientCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The lease, in hexadecimal.")
  private String id = "";

  LeaseRevokeCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    LeaseId.parse("ID", id);
  }

  @Override
  int run(Connection connection, Output out) {
    long lease = LeaseId.parse("ID", id);
    LeaseRevocation revoked = connection.client().blocking().leases().revoke(lease);
    if (options().json()) {
      out.json(
          json -> {
            json.writeStringField("lease", LeaseId.text(lease));
            json.writeNumberField("deleted", revoked.deleted());
            json.writeNumberField("revision", revoked.header().revision());
          });
    } else {
      out.line("lease " + LeaseId.text(lease) + " revoked");
    }
    return ExitCode.DONE;
  }
}
