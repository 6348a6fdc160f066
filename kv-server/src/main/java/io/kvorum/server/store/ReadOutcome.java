package io.kvorum.server.store;

/**
 * What a read resulted in.
 *
 * @param <T> the answer
 */
public sealed interface ReadOutcome<T> {
  /** The read was done. */
  record Answered<T>(T result) implements ReadOutcome<T> {}

  /**
   * The read cannot be done.
   *
   * @param compactRevision the oldest revision that can be read
   */
  record Refused<T>(Refusal refusal, long compactRevision) implements ReadOutcome<T> {}
}
