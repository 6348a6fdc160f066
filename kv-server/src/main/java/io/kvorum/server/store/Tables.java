package io.kvorum.server.store;

import io.kvorum.disk.Disk;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The ordered tables under a store. One thread writes, flushes and closes; any thread reads.
 *
 * <p>There is no log of its own: after a crash the tables hold what they held after some batch, no
 * older than the last {@link #flush()}. An implementation may make things durable earlier, always
 * all tables together and only between two batches.
 */
public interface Tables extends TableReader, AutoCloseable {
  /** An empty batch for these tables. */
  TableBatch batch();

  /**
   * Applies a batch of these tables as one. Visible to reads on return, durable after a {@link
   * #flush()}.
   *
   * @throws java.io.UncheckedIOException if it failed, or an earlier write in the background did;
   *     what these tables hold in memory is not to be trusted any more
   */
  void write(TableBatch batch);

  /**
   * Makes durable what was written.
   *
   * @throws java.io.UncheckedIOException as {@link #write}
   */
  void flush();

  /** Begins to make durable what was written, if the disk is slow not at once. Else as above. */
  default void flushSoon() {
    flush();
  }

  /**
   * Removes many rows that nobody will read any more, and that are not written again: by the
   * cheapest way there is. They may be gone for good before what was written earlier is durable.
   * Any thread, one at a time.
   *
   * @param keys ascending, each once, at least one
   * @param emptied ranges in which there is no other row, and of which no snapshot will be asked
   *     any more: they may be dropped as they are. Where there are none, snapshots keep the rows
   * @throws java.io.UncheckedIOException as {@link #write}
   * @throws IllegalStateException if these are closed
   */
  default void remove(Table table, List<byte[]> keys, List<RowRange> emptied) {
    TableBatch batch = batch();
    keys.forEach(key -> batch.delete(table, key));
    write(batch);
  }

  /** The value of a key as it would be read after a crash now, or null. */
  byte @Nullable [] flushed(Table table, byte[] key);

  /** Pins the present state. Must be closed. */
  TableSnapshot snapshot();

  /** What says, on any thread, whether all snapshots are closed that are open now. */
  default BooleanSupplier unpinned() {
    return () -> false;
  }

  /**
   * Writes down one moment of all tables between two batches, no older than this call, for {@link
   * TablesHome}. On any thread, one at a time, beside the writer: what it writes meanwhile may be
   * in there or not, whole batches in order. What is in there is durable here as well, as if {@link
   * #flush()} had been called at that moment.
   *
   * @param target an empty directory; on return all in it is durable
   * @throws java.io.UncheckedIOException if it failed; what is in the directory then is nothing
   * @throws IllegalStateException if these are closed, before or meanwhile
   */
  void checkpoint(Disk target);

  /**
   * Somebody has found damage in files that these tables share with a checkpoint: whoever opens
   * them next is told so, and nothing else happens. Any thread; after the end of these tables it
   * does nothing. On the heap there are no files.
   */
  default void condemn(CorruptTablesException found) {}

  /**
   * Waits for readers, for a bounded time, and gives resources back. Makes nothing durable. Later
   * calls of anything but close and abandon throw {@link IllegalStateException}.
   *
   * @throws IllegalStateException if readers are still there when the time is over; the last of
   *     them then gives the resources back
   */
  @Override
  void close();

  /**
   * Like {@link #close()}, for tables that others are about to replace: readers who come late are
   * told so, by a {@link StateReplacedException}. Waits for those inside only if the resources are
   * needed for the others.
   */
  void retire();

  /** Like {@link #close()}, but does not wait: the last reader gives the resources back. */
  void abandon();
}
