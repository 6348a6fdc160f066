package io.kvorum.server.store;

import io.kvorum.disk.Disk;
import org.jspecify.annotations.Nullable;

/**
 * Where the tables of a store are kept from one process to the next. Used by one thread at a time,
 * but for {@link #peek}.
 */
public interface TablesHome {
  /**
   * Opens the tables. Those that were opened here before are closed, abandoned or replaced.
   *
   * @throws java.io.UncheckedIOException if that fails
   */
  Tables open();

  /** Whether {@link #open} would have to make tables, if that can be told. */
  default boolean isEmpty() {
    return false;
  }

  /**
   * Durably replaces the tables by what {@link Tables#checkpoint} wrote; nothing old survives.
   * Tables that are open here are {@link Tables#retire retired} first.
   *
   * <p>A crash in between leaves the old tables, the new ones, or none: empty ones, or what cannot
   * be opened; never a mixture. So whoever finds out that it was cut short does it again before
   * anything is opened, with the same outcome (FAULTS F061).
   *
   * @param files unchanged by this, and not touched by what becomes of the tables later
   * @throws java.io.UncheckedIOException if it failed, or what is there is no checkpoint
   * @throws IllegalStateException if readers of the old tables do not end; nothing was replaced
   */
  void replace(Disk files);

  /**
   * What a checkpoint holds, to be read and not changed. Must be closed. On any thread.
   *
   * @throws java.io.UncheckedIOException if what is there is no checkpoint
   */
  TableSnapshot peek(Disk files);

  /**
   * Where a file that {@link Tables#checkpoint} wrote is damaged, in words for people; null if the
   * file does not tell. Changes nothing.
   */
  default @Nullable String damage(Disk files, String name) {
    return null;
  }
}
