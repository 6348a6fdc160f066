package io.kvorum.cli;

import io.kvorum.api.LeaseStatus;
import java.util.StringJoiner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum lease timetolive}. */
@Command(
    name = "timetolive",
    description = {
      "How long a lease lives, and how much of that is left.",
      "With exit code 1 when there is no such lease."
    })
final class LeaseTimeToLiveCommand extends ClientCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The lease, in hexadecimal.")
  private String id = "";

  @Option(names = "--keys", description = "Also the keys that hang on it.")
  private boolean keys;

  LeaseTimeToLiveCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    LeaseId.parse("ID", id);
  }

  @Override
  int run(Connection connection, Output out) {
    long lease = LeaseId.parse("ID", id);
    LeaseStatus status = connection.client().blocking().leases().status(lease, keys);
    if (options().json()) {
      json(status, out);
    } else {
      out.line(text(status));
    }
    return status.exists() ? ExitCode.DONE : ExitCode.NOT_FOUND;
  }

  private String text(LeaseStatus status) {
    String lease = "lease " + LeaseId.text(status.id());
    if (!status.exists()) {
      return lease + " already expired";
    }
    StringJoiner attached = new StringJoiner(" ", ", attached keys([", "])");
    status.keys().forEach(key -> attached.add(key.toString()));
    return lease
        + " granted with TTL("
        + status.ttl().toSeconds()
        + "s), remaining("
        + status.remaining().toSeconds()
        + "s)"
        + (keys ? attached : "");
  }

  private void json(LeaseStatus status, Output out) {
    out.json(
        json -> {
          json.writeStringField("lease", LeaseId.text(status.id()));
          json.writeNumberField("ttl", status.ttl().toSeconds());
          json.writeNumberField("remaining", status.remaining().toSeconds());
          if (keys) {
            json.writeArrayFieldStart("keys");
            for (var key : status.keys()) {
              json.writeString(key.toString());
            }
            json.writeEndArray();
          }
        });
  }
}
