package io.kvorum.server.store;

/**
 * A part of a {@link Compaction}, bounded in what it does. To be run, then finished on the apply
 * lane, and closed.
 */
public abstract class CompactionStep implements AutoCloseable {
  private final Compaction compaction;

  CompactionStep(Compaction compaction) {
    this.compaction = compaction;
  }

  /**
   * Does the long part of it. Once, on any thread.
   *
   * @throws IllegalStateException if the store is being closed; a {@link StateReplacedException} if
   *     another state takes its place: then there is nothing to finish
   * @throws java.io.UncheckedIOException if the disk fails or holds damaged bytes
   */
  public abstract void run();

  boolean isOf(Compaction one) {
    return compaction == one;
  }

  @Override
  public abstract void close();
}
