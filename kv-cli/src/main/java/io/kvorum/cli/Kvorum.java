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
    if (raw.length == 0 || !raw[0].equals("server")) {
      prepareLibraries();
    }
    Commands commands =
        new Commands(
            terminal,
            RemoteConnection::open,
            new KvServerRunner(),
            new SystemClock(),
            SecureRandom::new);
    System.exit(commands.run(raw));
  }

  /**
   * Libraries log where a node runs. What a client command has to say it says itself, in one line;
   * and to set up logging, or Netty's events for the flight recorder, takes longer than the
   * command.
   */
  static void prepareLibraries() {
    setDefault("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
    setDefault("slf4j.internal.verbosity", "WARN");
    setDefault("io.netty.jfr.enabled", "false");
  }

  private static void setDefault(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
