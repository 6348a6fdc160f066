package io.kvorum.disk;

import java.nio.ByteBuffer;

/**
 * An open file. One thread writes and syncs; {@link #map} may be read by any.
 *
 * <p>After a write or sync has failed nothing is known about the bytes it covered: the file must
 * not be used again, and above all the sync not be repeated, since the second one may succeed over
 * lost pages (FAULTS F042).
 */
public interface DiskFile extends AutoCloseable {
  /** Its name at the time it was opened, with its directory, for messages to people. */
  String location();

  /** Its length in bytes. */
  long size();

  /**
   * Writes all remaining bytes at {@code position}, or throws. Visible to reads and maps at once,
   * durable only after {@link #sync}. A write over the end makes the file longer.
   */
  void write(long position, ByteBuffer bytes);

  /** On return everything written is durable (fdatasync). */
  void sync();

  /** Fills the buffer from {@code position} on, or throws, also when the file ends before. */
  void read(long position, ByteBuffer target);

  /**
   * A read-only view of the bytes the file has now, big-endian, position 0. It shows later writes
   * too. It outlives {@link #close} and {@link Disk#delete} and is never unmapped under a reader:
   * the garbage collector frees it when no buffer refers to it any more (FAULTS F040). Reading may
   * throw {@link InternalError} when the device fails.
   */
  ByteBuffer map();

  /** Closes without a sync. Further calls do nothing. */
  @Override
  void close();
}
