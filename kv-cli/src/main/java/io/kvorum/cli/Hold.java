package io.kvorum.cli;

import io.kvorum.client.recipes.OwnershipLostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something that is held, or waited for, until this is closed: in good order also when the process
 * is told to end. First the command that rests on it is ended, then it is let go.
 */
final class Hold implements AutoCloseable {
  private static final Duration LET_GO_LIMIT = Duration.ofSeconds(3);

  private final Terminal terminal;
  private final Duration killAfter;
  private final Supplier<CompletableFuture<Void>> letGo;
  private final Thread hook = new Thread(this::end, "kvorum-let-go");
  private volatile @Nullable ChildCommand child;

  /**
   * From now on.
   *
   * @param letGo asked more than once, if the process ends meanwhile
   */
  Hold(Terminal terminal, Duration killAfter, Supplier<CompletableFuture<Void>> letGo) {
    this.terminal = terminal;
    this.killAfter = killAfter;
    this.letGo = letGo;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Runs the command, or, if there is none, waits; until that is over, or what is held is lost.
   *
   * @param lost completes with the reason, in words
   * @return the exit code of the command
   * @throws OwnershipLostException if what is held was lost before
   */
  int run(List<String> words, Map<String, String> variables, CompletableFuture<String> lost)
      throws InterruptedException {
    if (words.isEmpty()) {
      throw new OwnershipLostException(get(lost));
    }
    ChildCommand started = ChildCommand.start(words, variables);
    child = started;
    CompletableFuture<Integer> ended = started.ended();
    get(CompletableFuture.anyOf(ended, lost));
    if (ended.isDone()) {
      return ended.join();
    }
    throw new OwnershipLostException(lost.join() + "; " + words.get(0) + " was ended");
  }

  private static <T> T get(CompletableFuture<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("nobody fails it", impossible);
    }
  }

  private void end() {
    ChildCommand running = child;
    if (running != null) {
      running.end(killAfter);
    }
    try {
      letGo.get().get(LET_GO_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException unknown) {
      terminal.err().println("kvorum: not let go for certain; it ends with its lease");
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // The hook runs already, and does the same; it needs the connection until it is done.
      awaitHook();
      return;
    }
    end();
  }

  private void awaitHook() {
    try {
      hook.join();
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
  }
}
