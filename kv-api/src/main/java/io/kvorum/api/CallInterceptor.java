package io.kvorum.api;

import java.time.Duration;
import java.util.Optional;

/**
 * Learns of every call of an {@link InterceptedKvClient}: for metrics, traces and logs. It changes
 * nothing of a call, and adds nothing to it.
 */
@FunctionalInterface
public interface CallInterceptor {
  /**
   * A call begins.
   *
   * @param name of the method of {@link KvClient}; {@code leases.} in front of one of {@link
   *     Leases}
   * @param keys what it is about; empty for a transaction, a compaction, and leases
   * @param bytes of keys and values that it carries, about
   */
  record Call(String name, Optional<KeyRange> keys, long bytes) {}

  /**
   * How a call has ended.
   *
   * @param duration since it began; of a watch, its whole life
   * @param failure why it failed; empty if it succeeded, and for a watch
   */
  record Outcome(Duration duration, Optional<Throwable> failure) {
    /** What may be concluded, in one word: for the label of a metric. */
    public String conclusion() {
      Throwable why = failure.orElse(null);
      if (why == null) {
        return "done";
      } else if (why instanceof KvException.Overloaded) {
        return "overloaded";
      } else if (why instanceof KvException.Unavailable) {
        return "unavailable";
      } else if (why instanceof KvException.OutcomeUnknown) {
        return "unknown";
      }
      return why instanceof KvException.Rejected ? "rejected" : "failed";
    }
  }

  /** Hears of the end of one call. */
  @FunctionalInterface
  interface Ending {
    /** Before the caller's future completes, on the same thread. What it throws is lost. */
    void ended(Outcome outcome);
  }

  /**
   * A call begins, on the thread of the caller; what this throws, the caller gets in its place.
   *
   * @return hears of its end, once
   */
  Ending begins(Call call);
}
