package io.kvorum.cli;

import io.kvorum.api.CompactOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum compact}. */
@Command(
    name = "compact",
    description = {
      "Give up the history before a revision: what keys held before it cannot be read any more.",
      "What they hold now, and at that revision, stays."
    })
final class CompactCommand extends ClientCommand {
  @Parameters(index = "0", paramLabel = "REVISION", description = "The oldest that stays.")
  private long revision;

  @Option(
      names = "--physical",
      description = "Wait until the leader has removed what is not needed any more.")
  private boolean physical;

  CompactCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    CommandFailure.checkAtLeast("REVISION", 1, revision);
  }

  @Override
  int run(Connection connection, Output out) {
    connection.client().blocking().compact(revision, new CompactOptions(physical));
    if (options().json()) {
      out.json(json -> json.writeNumberField("compactRevision", revision));
    } else {
      out.line("compacted revision " + revision);
    }
    return ExitCode.DONE;
  }
}
