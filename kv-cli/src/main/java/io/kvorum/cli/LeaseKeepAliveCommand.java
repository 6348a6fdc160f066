package io.kvorum.cli;

import io.kvorum.api.KeptLease;
import io.kvorum.api.LeaseRenewal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum lease keep-alive}. */
@Command(
    name = "keep-alive",
    description = {
      "Renew a lease again and again, until it is lost or the command is interrupted.",
      "With exit code 1 when there is no such lease."
    })
final class LeaseKeepAliveCommand extends ClientCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The lease, in hexadecimal.")
  private String id = "";

  @Option(names = "--once", description = "Renew it once.")
  private boolean once;

  LeaseKeepAliveCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    LeaseId.parse("ID", id);
  }

  @Override
  int run(Connection connection, Output out) throws InterruptedException {
    long lease = LeaseId.parse("ID", id);
    LeaseRenewal renewal = connection.client().blocking().leases().renew(lease);
    if (!renewal.isAlive()) {
      lost(lease, out);
      return ExitCode.NOT_FOUND;
    }
    String text = LeaseId.text(lease);
    if (options().json()) {
      out.json(
          json -> {
            json.writeStringField("lease", text);
            json.writeNumberField("ttl", renewal.ttl().toSeconds());
          });
    } else {
      out.line("lease " + text + " keepalived with TTL(" + renewal.ttl().toSeconds() + ")");
    }
    if (once) {
      return ExitCode.DONE;
    }
    // It may stay the last line for long, and whoever reads it through a pipe waits for it.
    out.flush();
    CompletableFuture<String> end = new CompletableFuture<>();
    KeptLease kept =
        connection.client().leases().keepAlive(lease, (gone, why) -> end.complete(why));
    try {
      end.get();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("nobody completes it so", impossible);
    } finally {
      kept.close();
    }
    lost(lease, out);
    return ExitCode.NOT_FOUND;
  }

  private void lost(long lease, Output out) {
    if (options().json()) {
      out.json(
          json -> {
            json.writeStringField("lease", LeaseId.text(lease));
            json.writeNumberField("ttl", 0);
          });
    } else {
      out.line("lease " + LeaseId.text(lease) + " expired or revoked.");
    }
  }
}
