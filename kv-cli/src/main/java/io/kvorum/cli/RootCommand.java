package io.kvorum.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;

/** {@code kvorum} without a command. */
@Command(
    name = "kvorum",
    description = "A consistent key-value store. Help on a command: kvorum COMMAND --help",
    synopsisSubcommandLabel = "COMMAND")
final class RootCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    throw CommandFailure.usage("which command?");
  }

  static CommandLine addVersionTo(CommandLine line) {
    line.getCommandSpec()
        .addOption(
            OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Show the version and exit.")
                .build())
        .version("kvorum " + version());
    return line;
  }

  /** That of the jar; classes outside a jar have none. */
  private static String version() {
    String version = RootCommand.class.getPackage().getImplementationVersion();
    return version == null ? "(built from classes)" : version;
  }
}
