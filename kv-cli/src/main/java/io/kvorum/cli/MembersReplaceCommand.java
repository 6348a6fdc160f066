package io.kvorum.cli;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.Members;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvorum members replace}. */
@Command(
    name = "replace",
    description = {
      "Add one node and remove another, dead or alive, in one change: at no moment does the cluster"
          + " have fewer voters."
    })
final class MembersReplaceCommand extends MembersChangeCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The node that goes.")
  private String gone = "";

  @Parameters(
      index = "1",
      paramLabel = "ID=HOST:CLIENT:PEER",
      description = "The node, and the ports on which it serves clients and its peers.")
  private String member = "";

  MembersReplaceCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    super.check();
    MembersTable.parse(member);
  }

  @Override
  String hint() {
    return MembersTable.learnerHint(MembersTable.parse(member).id());
  }

  @Override
  CompletableFuture<Members> change(ClusterAdmin admin, AdminOptions timed) {
    return admin.replaceMember(gone, MembersTable.parse(member), timed);
  }
}
