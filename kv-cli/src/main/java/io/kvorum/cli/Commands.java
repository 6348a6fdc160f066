package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.node.Clock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import picocli.CommandLine;

/** All commands by name, and how one of them is run. */
final class Commands {
  private final Terminal terminal;
  private final Map<String, Supplier<CommandLine>> byName = new LinkedHashMap<>();

  Commands(
      Terminal terminal,
      ClientFactory clients,
      ServerRunner server,
      Clock clock,
      Supplier<RandomGenerator> random) {
    this.terminal = terminal;
    byName.put("server", () -> ServerCommand.line(server, terminal));
    byName.put("up", () -> new CommandLine(new UpCommand(terminal, random.get())));
    byName.put("demo", () -> new CommandLine(new DemoCommand(terminal, clients, clock)));
    byName.put("put", () -> new CommandLine(new PutCommand(terminal, clients)));
    byName.put("get", () -> new CommandLine(new GetCommand(terminal, clients)));
    byName.put("del", () -> new CommandLine(new DelCommand(terminal, clients)));
    byName.put("range", () -> new CommandLine(new RangeCommand(terminal, clients)));
    byName.put("watch", () -> new CommandLine(new WatchCommand(terminal, clients)));
    byName.put("txn", () -> new CommandLine(new TxnCommand(terminal, clients)));
    byName.put("lease", () -> LeaseCommand.line(terminal, clients));
    byName.put("compact", () -> new CommandLine(new CompactCommand(terminal, clients)));
    byName.put("quota", () -> new CommandLine(new QuotaCommand(terminal, clients)));
    byName.put("lock", () -> new CommandLine(new LockCommand(terminal, clients)));
    byName.put("elect", () -> new CommandLine(new ElectCommand(terminal, clients)));
    byName.put("registry", () -> RegistryCommand.line(terminal, clients));
    byName.put("status", () -> new CommandLine(new StatusCommand(terminal, clients)));
    byName.put("members", () -> MembersCommand.line(terminal, clients));
    byName.put("snapshot", () -> SnapshotCommand.line(terminal, clients));
    byName.put("backup", () -> new CommandLine(new BackupCommand(terminal, clients)));
    byName.put("verify", () -> new CommandLine(new VerifyCommand(terminal)));
    byName.put("restore", () -> new CommandLine(new RestoreCommand(terminal, random.get())));
    byName.put("fork", () -> new CommandLine(new ForkCommand(terminal, clients, random.get())));
    byName.put("recover", () -> new CommandLine(new RecoverCommand(terminal)));
    byName.put("doctor", () -> new CommandLine(new DoctorCommand(terminal)));
    byName.put("log", () -> LogCommand.line(terminal));
    byName.put("import", () -> new CommandLine(new ImportCommand(terminal, clients, clock)));
    byName.put("export", () -> new CommandLine(new ExportCommand(terminal, clients)));
    byName.put(
        "shell",
        () ->
            new CommandLine(
                new ShellCommand(
                    terminal,
                    clients,
                    (inside, lent) -> new Commands(inside, lent, server, clock, random))));
  }

  /** The same but for these. */
  Commands without(Set<String> names) {
    byName.keySet().removeAll(names);
    return this;
  }

  /** What may stand behind these words: commands or options; no arguments. */
  List<String> words(List<String> before) {
    if (before.isEmpty()) {
      return List.copyOf(byName.keySet());
    }
    Supplier<CommandLine> first = byName.get(before.get(0));
    if (first == null) {
      return List.of();
    }
    CommandLine line = CommonOptions.addTo(first.get());
    for (String word : before.subList(1, before.size())) {
      CommandLine below = line.getSubcommands().get(word);
      line = below == null ? line : below;
    }
    List<String> words = new ArrayList<>(line.getSubcommands().keySet());
    line.getCommandSpec().options().forEach(option -> words.add(option.longestName()));
    return words;
  }

  /** Parses the arguments, runs the command that they name, and returns the exit code. */
  int run(String... arguments) {
    CommandLine line =
        RootCommand.addVersionTo(CommonOptions.addTo(new CommandLine(new RootCommand())));
    String first = arguments.length == 0 ? "" : arguments[0];
    byName.forEach(
        (name, command) -> {
          // Reading a command's annotations costs milliseconds. The one that is asked for will do;
          // all of them only for the list of commands.
          if (name.equals(first) || !byName.containsKey(first)) {
            line.addSubcommand(name, CommonOptions.addTo(command.get()));
          }
        });
    line.setCaseInsensitiveEnumValuesAllowed(true);
    // A value that starts with @ is a value, not the name of a file with arguments.
    line.setExpandAtFiles(false);
    // Help; kept until it is whole, since a PrintWriter would not tell that its reader went away.
    StringWriter help = new StringWriter();
    line.setOut(new PrintWriter(help));
    line.setErr(terminal.err());
    line.setParameterExceptionHandler((wrong, given) -> usage(wrong.getCommandLine(), wrong));
    line.setExecutionExceptionHandler((thrown, command, result) -> failure(command, thrown));
    int code = line.execute(arguments);
    try (Output out = new Output(terminal)) {
      out.write(help.toString().getBytes(UTF_8));
      return code;
    } catch (CommandFailure outputClosed) {
      return Failures.report("kvorum", outputClosed, terminal.err());
    }
  }

  private int usage(CommandLine command, Exception wrong) {
    return failure(command, CommandFailure.usage(String.valueOf(wrong.getMessage())));
  }

  private int failure(CommandLine command, Exception thrown) {
    String name = command.getCommandSpec().qualifiedName();
    int code = Failures.report(name, thrown, terminal.err());
    if (code == ExitCode.USAGE) {
      terminal.err().println("Try: " + name + " --help");
    }
    return code;
  }
}
