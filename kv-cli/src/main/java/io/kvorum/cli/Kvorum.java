package io.kvorum.cli;

import io.kvorum.node.SystemClock;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Set;

/** The command line. */
public final class Kvorum {
  private static final Set<String> LONG_COMMANDS = Set.of("demo", "import");

  private Kvorum() {}

  /** Runs the command that the arguments name, and exits with its code. */
  public static void main(String[] arguments) {
    // Programs read the numbers, too: they have the same digits in every locale.
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    Terminal terminal = Terminal.ofProcess();
    String[] raw;
    try {
      raw = RawArguments.recover(arguments, System.getProperty("sun.jnu.encoding", "UTF-8"));
    } catch (CommandFailure undecodable) {
      System.exit(Failures.report("kvorum", undecodable, terminal.err()));
      return;
    }
    String command = raw.length == 0 ? "" : raw[0];
    if (!command.equals("server")) {
      prepareLibraries(LONG_COMMANDS.contains(command));
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
   * Tells libraries to leave out what takes longer than a short command: logging (what there is to
   * say, a command says itself in one line), Netty's events for the flight recorder, and the native
   * transport, which pays off only for many requests.
   */
  static void prepareLibraries(boolean manyRequests) {
    setDefault("slf4j.provider", SilentLogging.class.getName());
    setDefault("slf4j.internal.verbosity", "WARN");
    setDefault("io.netty.jfr.enabled", "false");
    if (!manyRequests) {
      setDefault("io.netty.transport.noNative", "true");
    }
  }

  private static void setDefault(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
