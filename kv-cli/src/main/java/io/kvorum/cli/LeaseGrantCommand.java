package io.kvorum.cli;

import io.kvorum.api.LeaseGrant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum lease grant}. */
@Command(name = "grant", description = "Make a lease, and print its id.")
final class LeaseGrantCommand extends ClientCommand {
  @Parameters(
      index = "0",
      paramLabel = "SECONDS",
      description = "How long it lives without being renewed; less than 2 counts as 2.")
  private long seconds;

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "Its id, in hexadecimal. Without it the cluster chooses one.")
  private @Nullable String id;

  LeaseGrantCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    CommandFailure.checkAtLeast("SECONDS", 0, seconds);
    if (id != null) {
      LeaseId.parse("--id", id);
    }
  }

  @Override
  int run(Connection connection, Output out) {
    long wanted = id == null ? 0 : LeaseId.parse("--id", id);
    Duration ttl = Duration.ofSeconds(seconds);
    LeaseGrant grant = connection.client().blocking().leases().grant(ttl, wanted);
    String text = LeaseId.text(grant.id());
    if (options().json()) {
      out.json(
          json -> {
            json.writeStringField("lease", text);
            json.writeNumberField("ttl", grant.ttl().toSeconds());
          });
    } else {
      out.line("lease " + text + " granted with TTL(" + grant.ttl().toSeconds() + "s)");
    }
    return ExitCode.DONE;
  }
}
