package io.kvorum.cli.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The command that runs this program's own {@code server} in another JVM of the same kind. */
final class ServerCommandLine {
  private static final String MAIN = "io.kvorum.cli.Kvorum";

  /**
   * As the launcher starts a server: short pauses, so that a leader is not taken for dead, and an
   * end rather than a life half broken. Three of them fit beside a client on a small machine.
   */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=50",
          "-Xms128m",
          "-Xmx512m",
          "-XX:MaxDirectMemorySize=512m",
          "-XX:+ExitOnOutOfMemoryError",
          "-Xshare:auto");

  private ServerCommandLine() {}

  /**
   * @param jvmOptions behind ours, so that they win
   * @param settings of the server, by the names of its flags without the dashes
   */
  static List<String> of(List<String> jvmOptions, Map<String, String> settings) {
    String classPath = System.getProperty("java.class.path");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_OPTIONS);
    Path archive = archiveBeside(classPath);
    if (Files.exists(archive)) {
      command.add("-XX:SharedArchiveFile=" + archive);
    }
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", classPath, MAIN, "server", ServerProcess.EXIT_WITH_PARENT));
    settings.forEach((name, value) -> command.add("--" + name + "=" + value));
    return command;
  }

  /** Where the build leaves the archive of loaded classes: beside the folder of the jars. */
  private static Path archiveBeside(String classPath) {
    String first = classPath.split(File.pathSeparator, 2)[0];
    return Path.of(first).resolveSibling("..").resolve("kvorum.jsa").normalize();
  }
}
