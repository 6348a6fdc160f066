package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.cli.transfer.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvorum shell}. */
@Command(
    name = "shell",
    description = {
      "Take commands line by line: those of this command line, without the word kvorum in front, on"
          + " one connection. help lists them; exit, or Ctrl-D, ends the shell; Ctrl-C ends the"
          + " command that runs.",
      "Words with blanks stand in quotes: \"a b\\n\" or 'a b'. Lines that begin with # are"
          + " comments. A command that reads standard input, such as txn, reads the lines behind"
          + " it, up to one that is a single dot.",
      "On a terminal, the tabulator completes commands, options and keys, and lines are kept in a"
          + " history; but those that begin with a blank. From a pipe, the exit code is that of the"
          + " last command, as in sh."
    })
final class ShellCommand extends ClientCommand {
  /** What runs for long and has a terminal of its own, or would be a shell in a shell. */
  static final Set<String> NOT_INSIDE = Set.of("shell", "server", "up", "demo");

  private static final String PROMPT = "kvorum> ";
  private static final String NO_HISTORY = "none";

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = "Where typed lines are kept; none: nowhere. Default: ~/.kvorum_history")
  private @Nullable String history;

  private final ClientFactory clients;
  private final BiFunction<Terminal, ClientFactory, Commands> commandsOn;

  /**
   * A shell.
   *
   * @param commandsOn makes the commands for other surroundings
   */
  ShellCommand(
      Terminal terminal,
      ClientFactory clients,
      BiFunction<Terminal, ClientFactory, Commands> commandsOn) {
    super(terminal, clients);
    this.clients = clients;
    this.commandsOn = commandsOn;
  }

  @Override
  void check() {
    if (options().json()) {
      throw CommandFailure.usage("--output goes with the commands inside the shell");
    }
  }

  @Override
  int run(Connection connection, Output out) throws IOException {
    try (SharedConnections shared = new SharedConnections(clients, options().timeout())) {
      ShellCompleter completer =
          new ShellCompleter(
              before -> commands(terminal(), shared).words(before), connection.client());
      try (ShellLines lines =
          terminal().inIsTerminal()
              ? EditedLines.ofProcess(completer, historyFile())
              : new PipedLines(terminal().in())) {
        return run(lines, shared);
      }
    }
  }

  private @Nullable Path historyFile() {
    if (history == null) {
      return Path.of(System.getProperty("user.home"), ".kvorum_history");
    }
    return history.equals(NO_HISTORY) ? null : Path.of(history);
  }

  private int run(ShellLines lines, ClientFactory shared) throws IOException {
    int code = ExitCode.DONE;
    for (String line = lines.next(PROMPT); line != null; line = lines.next(PROMPT)) {
      List<String> words;
      try {
        words = words(line);
      } catch (IllegalArgumentException malformed) {
        code = Failures.report("kvorum shell", usage(malformed), terminal().err());
        continue;
      }
      if (words.isEmpty()) {
        continue;
      }
      if (words.equals(List.of("exit")) || words.equals(List.of("quit"))) {
        return code;
      }
      code = lines.run(() -> execute(words, lines, shared));
    }
    return code;
  }

  private static CommandFailure usage(IllegalArgumentException malformed) {
    return CommandFailure.usage(String.valueOf(malformed.getMessage()));
  }

  /** The words of a command; none of an empty line or a comment. */
  private static List<String> words(String line) {
    if (line.strip().startsWith("#")) {
      return List.of();
    }
    List<String> words = new ArrayList<>();
    for (Bytes word : QuotedText.words(line)) {
      String text = Text.utf8OrNull(word);
      if (text == null) {
        throw new IllegalArgumentException(
            "a word is no text; other bytes are written in --hex or --base64");
      }
      words.add(text);
    }
    if (!words.isEmpty() && words.get(0).equals("kvorum")) {
      words.remove(0);
    }
    return words;
  }

  private int execute(List<String> words, ShellLines lines, ClientFactory shared) {
    if (NOT_INSIDE.contains(words.get(0))) {
      CommandFailure outside = CommandFailure.usage("runs outside of the shell");
      return Failures.report("kvorum " + words.get(0), outside, terminal().err());
    }
    List<String> given = words.get(0).equals("help") ? help(words) : words;
    Map<String, String> environment = new HashMap<>(terminal().environment());
    environment.put(
        ClientOptions.ENDPOINTS_VARIABLE, String.join(",", options().endpoints(terminal())));
    Terminal inside =
        new Terminal(
            new DottedInput(lines),
            terminal().out(),
            terminal().err(),
            environment,
            terminal().inIsTerminal(),
            terminal().outIsTerminal(),
            terminal().errIsTerminal());
    return commands(inside, shared).run(given.toArray(String[]::new));
  }

  /** {@code help lease grant} is {@code lease grant --help}. */
  private static List<String> help(List<String> words) {
    List<String> asked = new ArrayList<>(words.subList(1, words.size()));
    asked.add("--help");
    return asked;
  }

  private Commands commands(Terminal inside, ClientFactory shared) {
    return commandsOn.apply(inside, shared).without(NOT_INSIDE);
  }
}
