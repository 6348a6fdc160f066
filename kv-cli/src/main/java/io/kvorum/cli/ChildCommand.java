package io.kvorum.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A command that another one was told to run: a child process on our standard streams. */
final class ChildCommand {
  private final Process process;

  private ChildCommand(Process process) {
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param variables of its environment, besides ours
   * @throws CommandFailure with {@link ExitCode#COMMAND_NOT_RUN} if there is no such program
   */
  static ChildCommand start(List<String> words, Map<String, String> variables) {
    ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
    builder.environment().putAll(variables);
    try {
      return new ChildCommand(builder.start());
    } catch (IOException failed) {
      throw new CommandFailure(
          ExitCode.COMMAND_NOT_RUN, "cannot run " + words.get(0) + ": " + failed.getMessage());
    }
  }

  /** Completes with its exit code, which is 128 and the signal's number after a signal. */
  CompletableFuture<Integer> ended() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /**
   * Ends it, and whatever it has started: SIGTERM, and SIGKILL to what is left after that time.
   * Returns when it is gone.
   */
  void end(Duration killAfter) {
    if (!process.isAlive()) {
      return;
    }
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    all.forEach(ProcessHandle::destroy);
    CompletableFuture<Void> gone =
        CompletableFuture.allOf(
            all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new));
    try {
      gone.get(killAfter.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException stubborn) {
      all.forEach(ProcessHandle::destroyForcibly);
      gone.join();
    } catch (InterruptedException hurried) {
      all.forEach(ProcessHandle::destroyForcibly);
      Thread.currentThread().interrupt();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("the end of a process cannot fail", impossible);
    }
  }
}
