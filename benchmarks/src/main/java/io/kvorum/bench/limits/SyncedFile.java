package io.kvorum.bench.limits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of zeros whose blocks exist before anything is measured, so that a sync has no more to
 * write than what was appended. At its end the next batch begins again at its start. One thread.
 */
final class SyncedFile implements AutoCloseable {
  static final int PAGE_BYTES = 4 << 10;

  private static final int PIECE_BYTES = 1 << 20;

  private final FileChannel channel;
  private final long bytes;
  private final ByteBuffer padding = ByteBuffer.allocateDirect(PAGE_BYTES);
  private long at;

  private SyncedFile(FileChannel channel, long bytes) {
    this.channel = channel;
    this.bytes = bytes;
  }

  /**
   * Makes it, and syncs it.
   *
   * @param file does not exist
   * @param bytes its size for ever; rounded up to whole pages
   */
  static SyncedFile create(Path file, long bytes) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      long size = padded(bytes);
      ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE_BYTES);
      for (long left = size; left > 0; left -= zeros.position()) {
        zeros.clear().limit((int) Math.min(left, PIECE_BYTES));
        Wire.writeFully(channel, zeros);
      }
      channel.force(true);
      channel.position(0);
      return new SyncedFile(channel, size);
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  /** Rounded up to whole pages. */
  static long padded(long bytes) {
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  }

  /**
   * Writes what remains in the buffer from the start of a page on, fills its last page with zeros,
   * and syncs the data.
   *
   * @throws IllegalArgumentException if that is nothing, or more than the file holds
   */
  void append(ByteBuffer batch) throws IOException {
    long size = padded(batch.remaining());
    if (size == 0 || size > bytes) {
      throw new IllegalArgumentException(
          "a batch has from 1 to " + bytes + " bytes, not " + batch.remaining());
    }
    if (at + size > bytes) {
      channel.position(0);
      at = 0;
    }
    padding.clear().limit((int) (size - batch.remaining()));
    Wire.writeFully(channel, batch, padding);
    at += size;
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
