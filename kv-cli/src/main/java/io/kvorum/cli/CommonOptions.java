package io.kvorum.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** What every command has: its help, and in it the exit codes. */
final class CommonOptions {
  private static final int HELP_WIDTH = 100;

  private CommonOptions() {}

  static CommandLine addTo(CommandLine line) {
    CommandSpec command = line.getCommandSpec();
    command.addOption(
        OptionSpec.builder("-h", "--help")
            .usageHelp(true)
            .description("Show this help and exit.")
            .build());
    UsageMessageSpec usage = command.usageMessage();
    usage.width(HELP_WIDTH);
    usage.synopsisHeading("Usage: ");
    usage.descriptionHeading("%n");
    usage.parameterListHeading("%nParameters:%n");
    usage.optionListHeading("%nOptions:%n");
    usage.commandListHeading("%nCommands:%n");
    usage.exitCodeListHeading("%nExit codes:%n");
    usage.exitCodeList(exitCodes());
    return line;
  }

  private static Map<String, String> exitCodes() {
    Map<String, String> codes = new LinkedHashMap<>();
    put(codes, ExitCode.DONE, "done");
    put(
        codes,
        ExitCode.NOT_FOUND,
        "not found; failed (demo, backup, verify, restore, fork); damaged (log, snapshot, doctor)");
    put(codes, ExitCode.USAGE, "wrong usage");
    put(codes, ExitCode.UNAVAILABLE, "unavailable: certainly not executed; try again");
    put(codes, ExitCode.OUTCOME_UNKNOWN, "outcome unknown: may have been executed");
    put(codes, ExitCode.REJECTED, "rejected: not executed, and never will be as it stands");
    put(codes, ExitCode.LOCAL, "a file or directory of this machine cannot be used");
    put(codes, ExitCode.RESOURCE, "a port of this machine is taken, or its disk fails");
    put(codes, ExitCode.NODE_STOPPED, "server: the node stopped itself");
    put(codes, ExitCode.NODE_REMOVED, "server: the cluster has removed the node");
    put(codes, ExitCode.LOST, "lock, elect: what was held is lost; COMMAND was ended");
    put(codes, ExitCode.BUG, "a bug in Kvorum");
    put(codes, ExitCode.COMMAND_NOT_RUN, "lock, elect, registry: COMMAND cannot be started");
    put(codes, ExitCode.INTERRUPTED, "interrupted by Ctrl-C");
    put(codes, ExitCode.OUTPUT_CLOSED, "the reader of the output went away");
    return codes;
  }

  private static void put(Map<String, String> codes, int code, String meaning) {
    codes.put(Integer.toString(code), meaning);
  }
}
