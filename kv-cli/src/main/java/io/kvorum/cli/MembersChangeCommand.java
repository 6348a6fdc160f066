package io.kvorum.cli;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.KvException;
import io.kvorum.api.Members;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Option;

/** A command that changes the members, waits until that is committed, and prints what they are. */
abstract class MembersChangeCommand extends ClientCommand {
  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "How long the whole change may take; a node that joins receives the whole log first."
              + " Default: 5m.")
  private Duration wait = AdminOptions.DEFAULT.timeout();

  MembersChangeCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  /** What to do when its outcome is unknown; follows a message. */
  String hint() {
    return "";
  }

  /** Begins the change. */
  abstract CompletableFuture<Members> change(ClusterAdmin admin, AdminOptions timed);

  @Override
  void check() {
    timed();
  }

  @Override
  final int run(Connection connection, Output out) {
    Members after;
    try {
      after = MembersTable.await(change(connection.admin(), timed()));
    } catch (KvException.OutcomeUnknown unknown) {
      throw new KvException.OutcomeUnknown(unknown.getMessage() + hint());
    }
    MembersTable.print(after, options().json(), out);
    return ExitCode.DONE;
  }

  private AdminOptions timed() {
    try {
      return new AdminOptions(wait);
    } catch (IllegalArgumentException outOfRange) {
      throw CommandFailure.usage("--wait: " + outOfRange.getMessage());
    }
  }
}
