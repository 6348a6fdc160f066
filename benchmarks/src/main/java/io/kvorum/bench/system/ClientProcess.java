package io.kvorum.bench.system;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.bench.load.ClientMain;
import io.kvorum.bench.load.Fields;
import io.kvorum.bench.load.Outcome;
import io.kvorum.bench.load.Point;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The one process that asks the servers of a system, in which all clients of a load live. */
public final class ClientProcess implements AutoCloseable {
  /** The same for each system. */
  static final List<String> JVM_OPTIONS = List.of("-Xms512m", "-Xmx1g", "-XX:+UseG1GC");

  private static final long END_LIMIT_SECONDS = 10;

  private final Process process;
  private final PrintStream commands;
  private final BufferedReader answers;
  private final File log;

  private ClientProcess(Process process, File log) {
    this.process = process;
    this.commands = new PrintStream(process.getOutputStream(), true, UTF_8);
    this.answers = process.inputReader(UTF_8);
    this.log = log;
  }

  /**
   * Starts it.
   *
   * @param log takes what its libraries say
   */
  public static ClientProcess start(
      SystemUnderTest system, Cluster cluster, int keys, int valueBytes, Path log)
      throws IOException {
    List<String> command =
        Libraries.java(
            JVM_OPTIONS,
            system.clientClassPath(),
            ClientMain.class,
            List.of(
                system.clients().getName(),
                cluster.endpoints(),
                Integer.toString(keys),
                Integer.toString(valueBytes)));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    return new ClientProcess(builder.start(), log.toFile());
  }

  /** Waits until the servers take writes, and puts all keys. */
  public void preload() throws IOException {
    execute(new Fields().with("command", "preload"));
  }

  /** Measures. */
  public Outcome measure(Point point) throws IOException {
    return Outcome.parse(execute(point.fields().with("command", "point")));
  }

  /** Reads all keys; returns how many of them hold something else than their last write. */
  public long verify() throws IOException {
    return execute(new Fields().with("command", "verify")).number("wrong");
  }

  /** Runs a sample of calls that overlap; returns the checker's verdict on it. */
  public String sample(long seed) throws IOException {
    return execute(new Fields().with("command", "sample").with("seed", seed)).text("verdict");
  }

  private Fields execute(Fields command) throws IOException {
    commands.println(command);
    String answer = answers.readLine();
    if (answer != null && answer.startsWith(ClientMain.ANSWER)) {
      return Fields.parse(answer.substring(ClientMain.ANSWER.length()));
    }
    String why =
        answer == null
            ? "the client process ended; see " + log
            : answer.substring(Math.min(answer.length(), ClientMain.FAILED.length()));
    throw new IOException(command.text("command") + ": " + why);
  }

  /** Ends it. */
  @Override
  public void close() {
    commands.close();
    try {
      if (!process.waitFor(END_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
