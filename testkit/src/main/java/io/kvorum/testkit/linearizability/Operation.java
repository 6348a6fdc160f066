package io.kvorum.testkit.linearizability;

import org.jspecify.annotations.Nullable;

/**
 * One call of one client, and what came of it.
 *
 * @param id tells operations of one history apart; grows in order of recording
 * @param process whose call it was
 * @param output what the call gave; null if the outcome is unknown: it may have taken effect at any
 *     time after the call, may still do so, or never
 * @param calledAt when it was called, on the clock of the history
 * @param returnedAt when it returned; {@link #NEVER} if the outcome is unknown
 * @param <I> what was asked for
 * @param <O> what was answered
 */
public record Operation<I, O>(
    long id, String process, I input, @Nullable O output, long calledAt, long returnedAt) {
  /** The return of an operation whose outcome is unknown. */
  public static final long NEVER = Long.MAX_VALUE;

  public Operation {
    if (returnedAt < calledAt) {
      throw new IllegalArgumentException(
          "operation " + id + " returned at " + returnedAt + ", called at " + calledAt);
    }
    if (output == null && returnedAt != NEVER) {
      throw new IllegalArgumentException("operation " + id + " returned nothing at a time");
    }
  }

  /** Whether nobody knows what came of it. */
  public boolean isUnknown() {
    return output == null;
  }
}
