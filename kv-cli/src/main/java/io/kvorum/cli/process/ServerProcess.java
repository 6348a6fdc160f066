package io.kvorum.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A server in a process of its own, which ends when this one does.
 *
 * <p>The child holds the reading end of a pipe as its standard input; however we die, kill -9
 * included, the kernel closes the writing end, and a server with {@code --exit-with-parent} leaves.
 *
 * <p>Thread-safe.
 */
public final class ServerProcess implements AutoCloseable {
  /** How the one line begins that a server prints when it serves. */
  public static final String READY_PREFIX = "ready ";

  /** The server's option that ties it to the life of its parent. */
  public static final String EXIT_WITH_PARENT = "--exit-with-parent";

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final String name;
  private final Process process;
  private final Consumer<String> lines;
  private final CompletableFuture<String> ready = new CompletableFuture<>();
  private final Thread pump;

  private ServerProcess(String name, Process process, Consumer<String> lines) {
    this.name = name;
    this.process = process;
    this.lines = lines;
    this.pump = new Thread(this::pump, "output of " + name);
    pump.setDaemon(true);
  }

  /**
   * Starts the command.
   *
   * @param lines takes every line of its output and errors, on one thread of this object's own
   * @throws UncheckedIOException if the command cannot be started
   */
  public static ServerProcess start(String name, List<String> command, Consumer<String> lines) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // Everything is on the command line: what the user's shell sets for other servers is not meant.
    builder.environment().keySet().removeIf(variable -> variable.startsWith("KVORUM_"));
    try {
      ServerProcess server = new ServerProcess(name, builder.start(), lines);
      server.pump.start();
      return server;
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot start " + name, failed);
    }
  }

  private void pump() {
    try (BufferedReader output = process.inputReader(UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.accept(line);
        if (line.startsWith(READY_PREFIX)) {
          ready.complete(line);
        }
      }
    } catch (IOException closed) {
      // The stream of a process that was killed may end like this; its exit code tells the rest.
      lines.accept("(output of " + name + " ended: " + closed.getMessage() + ")");
    }
  }

  /**
   * Waits until it serves.
   *
   * @throws ServerProcessException if it ended instead, or took longer
   */
  public void awaitReady(Duration limit) throws InterruptedException {
    CompletableFuture<Object> either = CompletableFuture.anyOf(ready, process.onExit());
    try {
      either.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw new ServerProcessException(
          name + " did not serve within " + limit.toMillis() / 1e3 + " s");
    } catch (ExecutionException bug) {
      throw new IllegalStateException("waiting for " + name, bug);
    }
    if (!ready.isDone()) {
      throw ended();
    }
  }

  /**
   * Whether it has begun to serve.
   *
   * @throws ServerProcessException if it ended instead
   */
  public boolean isReady() {
    if (!ready.isDone() && !process.isAlive()) {
      throw ended();
    }
    return ready.isDone();
  }

  private ServerProcessException ended() {
    return new ServerProcessException(name + " ended with exit code " + process.exitValue());
  }

  public String name() {
    return name;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Empty while it runs; 128 and the signal's number after a signal, as in a shell. */
  public OptionalInt exitCode() {
    return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
  }

  /** Completes with its exit code when it ends, on a thread of the JVM's. */
  public CompletableFuture<Integer> onExit() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /** SIGKILL; returns when the process is gone. */
  public void kill9() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
    pump.join(CLOSE_LIMIT.toMillis());
  }

  /** SIGKILL, and does not wait. */
  void terminateForcibly() {
    process.destroyForcibly();
  }

  /** SIGTERM, and does not wait. */
  public void terminate() {
    // Process.destroy would close its pipes as well, and with them its way to say how it ended.
    process.toHandle().destroy();
  }

  /** SIGSTOP: the process stands still, its connections stay open. */
  public void pause() throws InterruptedException {
    signal("STOP");
  }

  /** SIGCONT: a paused process goes on. */
  public void resume() throws InterruptedException {
    signal("CONT");
  }

  /** The JDK sends no other signals than TERM and KILL. */
  private void signal(String signal) throws InterruptedException {
    try {
      Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start();
      int code = kill.waitFor();
      // Whoever has ended meanwhile needs no signal.
      if (code != 0 && process.isAlive()) {
        throw new ServerProcessException("kill -" + signal + " " + pid() + " failed: " + code);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot run kill", failed);
    }
  }

  /** See {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  /** Ends it: SIGTERM, and SIGKILL if that takes more than 10 s. Returns when it is gone. */
  public void stop() {
    try {
      if (isAlive()) {
        terminate();
        // Should it be paused, it learns of the SIGTERM only when it goes on.
        resumeIfAlive();
        process.waitFor(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      }
      kill9();
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private void resumeIfAlive() throws InterruptedException {
    try {
      resume();
    } catch (ServerProcessException gone) {
      if (isAlive()) {
        throw gone;
      }
    }
  }
}
