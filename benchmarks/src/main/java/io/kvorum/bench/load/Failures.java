package io.kvorum.bench.load;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Says in the log of a client process why calls fail, for the first few that do. */
final class Failures {
  private static final int SHOWN_MAX = 20;
  private static final AtomicInteger SHOWN = new AtomicInteger();

  private Failures() {}

  static void report(Throwable thrown) {
    if (SHOWN.incrementAndGet() <= SHOWN_MAX) {
      System.err.println("a call failed: " + cause(thrown));
    }
  }

  /** What futures have wrapped. */
  static Throwable cause(Throwable thrown) {
    @Nullable Throwable cause = thrown;
    while (cause instanceof CompletionException || cause instanceof ExecutionException) {
      thrown = cause;
      cause = cause.getCause();
    }
    return cause == null ? thrown : cause;
  }
}
