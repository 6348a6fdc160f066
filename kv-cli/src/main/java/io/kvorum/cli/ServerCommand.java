package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.cli.process.ServerProcess;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** {@code kvorum server}: runs one node in this process. */
@Command(
    name = "server",
    description = {
      "Run one node. One line that begins with \"ready\" says when it serves clients; SIGTERM and"
          + " Ctrl-C close it.",
      "A setting comes from its flag, else from the environment variable KVORUM_ and its name in"
          + " capitals (KVORUM_DATA_DIR), else from the file, else it has its default."
    })
final class ServerCommand implements Callable<Integer> {
  private static final long EXIT_LIMIT_MILLIS = 10_000;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A YAML file with settings, one \"name: value\" a line; unknown names are errors.")
  private @Nullable Path file;

  @Option(
      names = ServerProcess.EXIT_WITH_PARENT,
      description = "Close when standard input ends, as it does when the parent process dies.")
  private boolean exitWithParent;

  private final ServerRunner runner;
  private final Terminal terminal;
  private final Map<String, String> flags = new LinkedHashMap<>();

  private ServerCommand(ServerRunner runner, Terminal terminal) {
    this.runner = runner;
    this.terminal = terminal;
  }

  /** The command with an option for each of the server's settings. */
  static CommandLine line(ServerRunner runner, Terminal terminal) {
    ServerCommand command = new ServerCommand(runner, terminal);
    CommandLine line = new CommandLine(command);
    for (ServerRunner.Flag flag : runner.flags()) {
      line.getCommandSpec()
          .addOption(
              OptionSpec.builder("--" + flag.name())
                  .paramLabel("VALUE")
                  .type(String.class)
                  .description(
                      escapeFormat(flag.description() + " Default: " + flag.defaultValue()))
                  .setter(command.setterOf(flag.name()))
                  .build());
    }
    return line;
  }

  private CommandLine.Model.ISetter setterOf(String name) {
    return new CommandLine.Model.ISetter() {
      @Override
      public <T> @Nullable T set(@Nullable T value) {
        // Before it parses, picocli sets each option to its initial value, which is none.
        if (value == null) {
          flags.remove(name);
        } else {
          flags.put(name, value.toString());
        }
        return null;
      }
    };
  }

  private static String escapeFormat(String text) {
    return text.replace("%", "%%");
  }

  @Override
  public Integer call() {
    if (exitWithParent) {
      exitAtEndOf(terminal.in());
    }
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
    PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
    try {
      return runner.run(file, terminal.environment(), flags, out, err);
    } catch (IllegalArgumentException badSetting) {
      throw CommandFailure.usage(String.valueOf(badSetting.getMessage()));
    }
  }

  private static void exitAtEndOf(InputStream in) {
    Thread watch = new Thread(() -> watch(in), "parent watch");
    watch.setDaemon(true);
    watch.start();
  }

  private static void watch(InputStream in) {
    try {
      long ignored = in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException closed) {
      System.err.println("standard input: " + closed.getMessage());
    }
    // The node closes in a shutdown hook. Nobody is left to see to it that this comes to an end.
    Thread limit = new Thread(ServerCommand::haltLate, "exit limit");
    limit.setDaemon(true);
    limit.start();
    System.exit(ExitCode.DONE);
  }

  private static void haltLate() {
    try {
      Thread.sleep(EXIT_LIMIT_MILLIS);
    } catch (InterruptedException early) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(ExitCode.NODE_STOPPED);
  }
}
