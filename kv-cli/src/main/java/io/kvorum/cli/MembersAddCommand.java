package io.kvorum.cli;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.MemberInfo;
import io.kvorum.api.Members;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum members add}. */
@Command(
    name = "add",
    description = {
      "Add a node. It must run already, with --join: it receives the log first, and votes when it"
          + " has caught up."
    })
final class MembersAddCommand extends MembersChangeCommand {
  @Parameters(
      index = "0",
      paramLabel = "ID=HOST:CLIENT:PEER",
      description = "The node, and the ports on which it serves clients and its peers.")
  private String member = "";

  @Option(
      names = "--learner",
      description = "It only receives the log, and does not vote until it is promoted.")
  private boolean learner;

  MembersAddCommand(Terminal terminal, ClientFactory clients) {
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
    MemberInfo added = MembersTable.parse(member);
    return admin.addMember(learner ? added.withRole(MemberInfo.Role.LEARNER) : added, timed);
  }
}
