package io.kvorum.cli;

import java.time.Duration;
import picocli.CommandLine.Option;

/** What commands have that hold something by a lease while another command runs. */
final class HoldOptions {
  /** Where the command that is run finds its fencing token. */
  static final String FENCE_VARIABLE = "KVORUM_FENCE";

  @Option(
      names = "--ttl",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "How long others wait when this process dies without letting go. The"
              + " cluster makes 2s of less. Default: 10s.")
  private Duration ttl = Duration.ofSeconds(10);

  @Option(
      names = "--kill-after",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "When COMMAND has to end: how long after SIGTERM it gets SIGKILL. Default: 5s.")
  private Duration killAfter = Duration.ofSeconds(5);

  Duration ttl() {
    return ttl;
  }

  Duration killAfter() {
    return killAfter;
  }
}
