package io.kvorum.cli;

import io.kvorum.node.SystemClock;
import java.security.SecureRandom;

/** The command line. */
public final class Kvorum {
  private Kvorum() {}

  /** Runs the command that the arguments name, and exits with its code. */
  public static void main(String[] arguments) {
    Terminal terminal = Terminal.ofProcess();
    String[] raw;
    try {
      raw = RawArguments.recover(arguments, System.getProperty("sun.jnu.encoding", "UTF-8"));
    } catch (CommandFailure undecodable) {
      System.exit(Failures.report("kvorum", undecodable, terminal.err()));
      return;
    }
    quietLibraries(raw);
    Commands commands =
        new Commands(
            terminal,
            RemoteConnection::open,
            new KvServerRunner(),
            new SystemClock(),
            new SecureRandom());
    System.exit(commands.run(raw));
  }

  /**
   * Libraries log where a node runs. What a client command has to say it says itself, in one line;
   * and to set up logging would take longer than the command.
   */
  private static void quietLibraries(String[] arguments) {
    boolean node = arguments.length > 0 && arguments[0].equals("server");
    if (!node && System.getProperty("slf4j.provider") == null) {
      System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
      System.setProperty("slf4j.internal.verbosity", "WARN");
    }
  }
}
