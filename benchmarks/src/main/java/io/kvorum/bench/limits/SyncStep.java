package io.kvorum.bench.limits;

import io.kvorum.bench.load.Measurement;
import io.kvorum.node.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Appends a batch of records of 256 bytes, and syncs it. */
final class SyncStep implements Step {
  static final int RECORD_BYTES = 256;

  private final SyncedFile file;
  private final int records;
  private final Clock clock;
  private final ByteBuffer batch;

  SyncStep(SyncedFile file, int records, Clock clock) {
    this.file = file;
    this.records = records;
    this.clock = clock;
    this.batch = ByteBuffer.allocateDirect(records * RECORD_BYTES);
    while (batch.hasRemaining()) {
      batch.put((byte) batch.position());
    }
  }

  @Override
  public int run(Measurement measurement) throws IOException {
    long begin = clock.nanoTime();
    batch.rewind();
    file.append(batch);
    measurement.ended(clock.nanoTime() - begin, records);
    return 1;
  }
}
