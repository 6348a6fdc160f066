package io.kvorum.cli;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.Members;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvorum members promote}. */
@Command(name = "promote", description = "Let a learner vote from now on. It must have caught up.")
final class MembersPromoteCommand extends MembersChangeCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The learner.")
  private String id = "";

  MembersPromoteCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  CompletableFuture<Members> change(ClusterAdmin admin, AdminOptions timed) {
    return admin.promote(id, timed);
  }
}
