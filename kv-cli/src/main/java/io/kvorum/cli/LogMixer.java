package io.kvorum.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Puts the lines of several processes on one output, each behind its name. Thread-safe. */
final class LogMixer {
  private static final List<String> COLOURS =
      List.of("\u001b[36m", "\u001b[33m", "\u001b[32m", "\u001b[35m", "\u001b[34m");
  private static final String BOLD = "\u001b[1m";
  private static final String PLAIN = "\u001b[0m";

  private final Output out;
  private final boolean colours;
  private final Map<String, String> colourOf = new LinkedHashMap<>();
  private final CompletableFuture<Void> outputClosed = new CompletableFuture<>();

  LogMixer(Output out, Terminal terminal) {
    this.out = out;
    this.colours =
        terminal.outIsTerminal() && terminal.environment().getOrDefault("NO_COLOR", "").isEmpty();
  }

  /** Takes the lines of the process of that name. */
  synchronized Consumer<String> of(String name) {
    String colour = COLOURS.get(colourOf.size() % COLOURS.size());
    String chosen = colourOf.computeIfAbsent(name, first -> colour);
    return line -> print(chosen, name, line);
  }

  /** A line of our own. */
  void up(String line) {
    print(BOLD, "up", line);
  }

  /** Fails with the {@link CommandFailure} of the first line that could not be written. */
  CompletableFuture<Void> outputClosed() {
    return outputClosed;
  }

  private synchronized void print(String colour, String name, String line) {
    if (outputClosed.isDone()) {
      return;
    }
    String prefix = name + " | ";
    try {
      out.line((colours ? colour + prefix + PLAIN : prefix) + line);
      out.flush();
    } catch (CommandFailure closed) {
      outputClosed.completeExceptionally(closed);
    }
  }
}
