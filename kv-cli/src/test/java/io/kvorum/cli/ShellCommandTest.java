package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SplittableRandom;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** shell: lines from a pipe, and what a person at a terminal has besides. */
class ShellCommandTest {
  private final CommandLineHarness kvorum = new CommandLineHarness();

  private int shell(String... lines) {
    return kvorum.withInput((String.join("\n", lines) + "\n").getBytes(UTF_8)).run("shell");
  }

  @Test
  void linesFromAPipeAreCommands() {
    int code =
        shell(
            "# a comment, then an empty line",
            "",
            "put 'a key' \"two\\nlines\"",
            "kvorum put b 1",
            "get b",
            "exit",
            "put c 1");
    assertThat(code).isZero();
    assertThat(kvorum.out()).isEqualTo("revision 1\nrevision 2\n1\n");
    assertThat(kvorum.err()).isEmpty();
    assertThat(kvorum.client.content()).hasSize(2);
    assertThat(kvorum.client.present().get(Bytes.utf8("a key")).value())
        .isEqualTo(Bytes.utf8("two\nlines"));
    assertThat(kvorum.connections).isEqualTo(2);
    assertThat(kvorum.client.isClosed()).isTrue();
  }

  /** Who wrote them may have died half-way: a part is no transaction, and no value. */
  @Test
  void linesThatEndWithoutTheDotAreNotExecuted() {
    assertThat(shell("txn", "", "put a 1", "put b 2")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains("single dot; nothing was executed");
    assertThat(shell("put text -", "one")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.client.content()).isEmpty();
  }

  @Test
  void aFailureIsReportedAndTheNextLineFollows() {
    int code = shell("get missing", "nonsense", "put 'open", "put k v", "get missing");
    assertThat(code).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(kvorum.err()).contains("nonsense").contains("a quote is not closed");
    assertThat(kvorum.client.content()).containsExactly("k=v");
    assertThat(shell("nonsense", "put k w")).isZero();
    assertThat(shell("put \"\\xff\" 1")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains("--hex");
  }

  @Test
  void whatReadsStandardInputReadsUpToADot() {
    shell("txn", "", "put a 1", ".", "put text -", "one", "..", ".", "get text");
    assertThat(kvorum.client.lastTxn).isEqualTo(Txn.of(Op.put(Bytes.utf8("a"), Bytes.utf8("1"))));
    assertThat(kvorum.out()).endsWith("one\n..\n\n");
  }

  @Test
  void optionsOfTheShellAreThoseOfItsCommands() {
    kvorum.withInput("put k v\nput k w --timeout 3s\n".getBytes(UTF_8));
    assertThat(kvorum.run("shell", "--endpoints", "a:1,b:2", "--timeout", "9s")).isZero();
    assertThat(kvorum.connectedTo).containsExactly("a:1", "b:2");
    assertThat(kvorum.timeout).isEqualTo(java.time.Duration.ofSeconds(3));
    assertThat(kvorum.connections).isEqualTo(3);
  }

  @Test
  void whatRunsForLongStaysOutside() {
    assertThat(shell("shell")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).isEqualTo("kvorum shell: runs outside of the shell\n");
    assertThat(shell("server")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.serverFlags).isNull();
    assertThat(shell("help")).isZero();
    assertThat(kvorum.out()).contains("put", "lease").doesNotContain("  demo ");
    assertThat(shell("help lease grant")).isZero();
    assertThat(kvorum.out()).startsWith("Usage: kvorum lease grant");
  }

  private ShellCompleter completer() {
    Terminal nowhere =
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            new ByteArrayOutputStream(),
            new java.io.PrintWriter(new ByteArrayOutputStream(), true, UTF_8),
            kvorum.environment,
            false,
            false,
            false);
    Commands commands =
        new Commands(
            nowhere,
            (endpoints, timeout) -> {
              throw new AssertionError("completion opens no connection of its own");
            },
            new KvServerRunner(),
            new io.kvorum.node.SystemClock(),
            () -> new SplittableRandom(1));
    return new ShellCompleter(commands.without(ShellCommand.NOT_INSIDE)::words, kvorum.client);
  }

  @Test
  void commandsOptionsAndKeysAreCompleted() {
    for (String key : List.of("app/a", "app/b c", "app/d", "other", "-x")) {
      assertThat(kvorum.run("put", "--", key, "v")).isZero();
    }
    ShellCompleter completer = completer();
    assertThat(completer.candidates(List.of(), "le")).containsExactly("lease");
    assertThat(completer.candidates(List.of(), "st")).containsExactly("status");
    assertThat(completer.candidates(List.of("lease"), "gr")).containsExactly("grant");
    assertThat(completer.candidates(List.of("watch", "k"), "--pre"))
        .containsExactlyInAnyOrder("--prefix", "--prev-kv");
    assertThat(completer.candidates(List.of("get"), "app/")).containsExactly("app/a", "app/d");
    assertThat(completer.candidates(List.of("get"), "")).contains("other").doesNotContain("-x");
    assertThat(completer.candidates(List.of("nonsense"), "")).isEmpty();
    assertThat(completer.candidates(List.of("get", "k"), "o")).isEmpty();
  }

  private static EditedLines edited(String typed, Path history) throws IOException {
    return new EditedLines(
        new DumbTerminal(
            new ByteArrayInputStream(typed.getBytes(UTF_8)), new ByteArrayOutputStream()),
        (reader, line, candidates) -> {},
        history);
  }

  @Test
  void aDumbTerminalWillDoAndWhatIsTypedIsKept(@TempDir Path directory) throws IOException {
    Path history = directory.resolve("history");
    try (EditedLines lines = edited("put k v!\n secret\n", history)) {
      assertThat(lines.next("> ")).isEqualTo("put k v!");
      assertThat(lines.next("> ")).isEqualTo(" secret");
      assertThat(lines.next("> ")).isNull();
    }
    assertThat(Files.readString(history)).contains("put k v!").doesNotContain("secret");
    EditedLines.keepPrivate(directory.resolve("new"));
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("new"))))
        .isEqualTo("rw-------");
  }

  @Test
  void ctrlCInterruptsTheCommandAndNotTheShell() throws IOException {
    try (org.jline.terminal.Terminal terminal =
            new DumbTerminal(new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream());
        EditedLines lines = new EditedLines(terminal, (reader, line, found) -> {}, null)) {
      int code =
          lines.run(
              () -> {
                terminal.raise(Signal.INT);
                return Thread.currentThread().isInterrupted() ? ExitCode.INTERRUPTED : 0;
              });
      assertThat(code).isEqualTo(ExitCode.INTERRUPTED);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }
}
