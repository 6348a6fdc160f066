package io.kvorum.cli;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every command has that talks to a cluster. */
final class ClientOptions {
  static final String ENDPOINTS_VARIABLE = "KVORUM_ENDPOINTS";
  static final String ENDPOINTS_DEFAULT = "127.0.0.1:7400";
  static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(5);

  /** How an answer is written. */
  enum OutputFormat {
    text,
    json
  }

  @Option(
      names = "--endpoints",
      paramLabel = "HOST:PORT[,...]",
      description =
          "Where any members of the cluster serve clients. Without it: the environment variable "
              + ENDPOINTS_VARIABLE
              + ", else "
              + ENDPOINTS_DEFAULT
              + ".")
  private @Nullable String endpoints;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "How answers are written. Default: text.")
  private OutputFormat output = OutputFormat.text;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "How long one operation may take: 500ms, 5s, 2m. A connection may take a third of it, and"
              + " 1s at least; then the next endpoint is tried. Default: 5s.")
  private Duration timeout = TIMEOUT_DEFAULT;

  boolean json() {
    return output == OutputFormat.json;
  }

  Duration timeout() {
    return timeout;
  }

  /** From the option, else the environment, else the default. */
  List<String> endpoints(Terminal terminal) {
    String text = endpoints;
    if (text == null) {
      text = terminal.environment().getOrDefault(ENDPOINTS_VARIABLE, "");
    }
    String chosen = text.isBlank() ? ENDPOINTS_DEFAULT : text;
    return Arrays.stream(chosen.split(",", -1)).map(String::strip).toList();
  }

  /** Opens a connection; an endpoint that is none is an error of usage. */
  Connection connect(Terminal terminal, ClientFactory clients) {
    try {
      return clients.connect(endpoints(terminal), timeout);
    } catch (IllegalArgumentException badEndpoint) {
      throw CommandFailure.usage("--endpoints: " + badEndpoint.getMessage());
    }
  }
}
