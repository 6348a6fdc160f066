package io.kvorum.bench.limits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The least that a follower does: appends each batch of its leader's, syncs it, and says so.
 *
 * <p>It gets {@code bytes:int, bytes × byte} for each batch, and answers with the batch's number, a
 * long; the first is 1.
 */
final class ChainFollower {
  static final int HEADER_BYTES = Integer.BYTES;

  private ChainFollower() {}

  /** Returns when the leader has ended, between two batches. */
  static void serve(SocketChannel leader, SyncedFile file) throws IOException {
    ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
    ByteBuffer batch = ByteBuffer.allocateDirect(ChainLeader.BATCH_BYTES_MAX);
    ByteBuffer answer = ByteBuffer.allocateDirect(Long.BYTES);
    long number = 0;
    while (Wire.readFully(leader, header.clear())) {
      int bytes = header.getInt();
      if (bytes < 1 || bytes > ChainLeader.BATCH_BYTES_MAX) {
        throw new IOException("a batch of " + bytes + " bytes: that is no leader of ours");
      }
      batch.clear().limit(bytes);
      if (!Wire.readFully(leader, batch)) {
        throw new IOException("the leader has ended within a batch");
      }
      file.append(batch);
      number++;
      Wire.writeFully(leader, answer.clear().putLong(number).flip());
    }
  }
}
