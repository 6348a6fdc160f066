package io.kvorum.server.store;

/**
 * A read that was prepared on the apply lane and is bound to the state of that moment; it may be
 * made on any thread. It must be closed, made or not: until then it may hold up the close of the
 * store.
 *
 * @param <T> the answer
 */
public interface PinnedRead<T> extends AutoCloseable {
  /**
   * Reads.
   *
   * @throws IllegalStateException if this is closed, or the store is being closed: try elsewhere; a
   *     {@link StateReplacedException} if another state was installed: prepare it again
   * @throws java.io.UncheckedIOException if the disk fails or holds damaged bytes
   */
  ReadOutcome<T> run();

  /** Waits for a run under way. Closing twice is allowed. */
  @Override
  void close();
}
