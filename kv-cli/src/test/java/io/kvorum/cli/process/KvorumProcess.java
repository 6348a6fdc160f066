package io.kvorum.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the whole command line in a process of its own, as a shell does. */
public final class KvorumProcess {
  private KvorumProcess() {}

  /** What it left behind. */
  public record Ended(int code, String out, String err) {}

  /** Runs to the end, and fails when that takes too long. */
  public static Ended run(Duration limit, String... arguments)
      throws IOException, InterruptedException {
    return run(limit, Map.of(), new byte[0], arguments);
  }

  /** With more environment variables, and with these bytes on standard input. */
  public static Ended run(
      Duration limit, Map<String, String> environment, byte[] in, String... arguments)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("kvorum", ".out");
    Path err = Files.createTempFile("kvorum", ".err");
    Path input = Files.createTempFile("kvorum", ".in");
    Files.write(input, in);
    ProcessBuilder builder =
        new ProcessBuilder(command(arguments))
            .redirectInput(input.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("KVORUM_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("took longer than " + limit + ": " + Files.readString(out));
      }
      return new Ended(
          process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
    } finally {
      process.destroyForcibly();
      Files.delete(out);
      Files.delete(err);
      Files.delete(input);
    }
  }

  /** The command line of a shell. */
  public static List<String> command(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "io.kvorum.cli.Kvorum"));
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * The process ids of servers whose data lies in the directory. By Linux's own account: the JDK
   * cuts off long command lines, and ours begin with a long class path.
   */
  public static List<Long> serversOn(Path directory) {
    String setting = "\0--data-dir=" + directory;
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(pid -> commandLine(pid).contains(setting))
        .toList();
  }

  private static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/cmdline"));
    } catch (IOException ended) {
      return "";
    }
  }
}
