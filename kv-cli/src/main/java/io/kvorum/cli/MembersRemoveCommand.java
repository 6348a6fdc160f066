package io.kvorum.cli;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.Members;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvorum members remove}. */
@Command(
    name = "remove",
    description = {
      "Remove a node for good, dead or alive. When it hears of it, it ends with exit code 9.",
      "Its name may come back only with an empty data directory and another id."
    })
final class MembersRemoveCommand extends MembersChangeCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The node.")
  private String id = "";

  MembersRemoveCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  CompletableFuture<Members> change(ClusterAdmin admin, AdminOptions timed) {
    return admin.removeMember(id, timed);
  }
}
