package io.kvorum.server.metrics;

import io.kvorum.api.NodeStatus;
import io.micrometer.core.instrument.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The status of a node, asked for anew when it is old: all gauges that are read together read the
 * same one. A node that does not answer keeps a reader only a moment; what it said last counts
 * then, with its age. Any thread.
 */
final class FreshStatus {
  static final long FRESH_MILLIS = 500;
  private static final long PATIENCE_MILLIS = 250;

  private final Supplier<CompletableFuture<NodeStatus>> source;
  private final Clock clock;
  private @Nullable CompletableFuture<NodeStatus> asked;
  private @Nullable NodeStatus newest;
  private long newestNanos;
  private long triedNanos;
  private boolean tried;

  FreshStatus(Supplier<CompletableFuture<NodeStatus>> source, Clock clock) {
    this.source = source;
    this.clock = clock;
  }

  /** The newest there is; null: the node has not answered yet. */
  synchronized @Nullable NodeStatus newest() {
    long now = clock.monotonicTime();
    if (!tried || now - triedNanos >= TimeUnit.MILLISECONDS.toNanos(FRESH_MILLIS)) {
      tried = true;
      ask();
      triedNanos = clock.monotonicTime();
    }
    return newest;
  }

  /** How old that is, in seconds; NaN: there is none. */
  synchronized double ageSeconds() {
    NodeStatus status = newest();
    return status == null ? Double.NaN : (clock.monotonicTime() - newestNanos) / 1e9;
  }

  private void ask() {
    CompletableFuture<NodeStatus> answer = asked == null ? source.get() : asked;
    asked = answer;
    try {
      newest = answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      newestNanos = clock.monotonicTime();
      asked = null;
    } catch (TimeoutException slow) {
      // Asked only once: the next reader takes the same answer.
      return;
    } catch (ExecutionException closed) {
      asked = null;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
