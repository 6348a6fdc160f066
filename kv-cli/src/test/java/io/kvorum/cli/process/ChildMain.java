package io.kvorum.cli.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that behaves as a server does towards its parent: says that it is ready, or ends with
 * an exit code, and leaves when its standard input ends.
 */
final class ChildMain {
  private ChildMain() {}

  /** {@code ready}, {@code silent}, or {@code exit} and a code. */
  public static void main(String[] arguments) throws IOException {
    System.out.println("started");
    if (arguments[0].equals("exit")) {
      System.exit(Integer.parseInt(arguments[1]));
    }
    if (arguments[0].equals("parent")) {
      // Starts a child of its own the way up does, and tells its process id.
      ServerProcess child = ServerProcess.start("grandchild", command("ready"), line -> {});
      System.out.println("child " + child.pid());
    }
    if (arguments[0].equals("ready")) {
      System.out.println(ServerProcess.READY_PREFIX + "node=x");
    }
    while (System.in.read() >= 0) {
      // Whatever comes, only the end matters.
    }
    System.exit(0);
  }

  static List<String> command(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ChildMain.class.getName()));
    command.addAll(List.of(arguments));
    return command;
  }
}
