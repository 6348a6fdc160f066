package io.kvorum.node;

import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Ready;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the core's writes durable on the log lane. Batches form by nature: all that queued while
 * the last sync ran is written and synced together.
 */
final class LogWriter {
  private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);

  /** Entries' bytes after which a batch is synced although more is queued. */
  private static final long BATCH_BYTES_MAX = 1 << 20;

  private final Lane lane;
  private final LogStore log;
  private final VoteFile voteFile;
  private final LongConsumer durable;
  private final Consumer<Throwable> failed;

  private final ConcurrentLinkedQueue<Ready.Write> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong batches = new AtomicLong();
  private volatile boolean stopped;

  /**
   * A writer.
   *
   * @param durable told on the log lane: writes up to this sequence are durable
   * @param failed told on the log lane: nothing more will be
   */
  LogWriter(
      Lane lane,
      LogStore log,
      VoteFile voteFile,
      LongConsumer durable,
      Consumer<Throwable> failed) {
    this.lane = lane;
    this.log = log;
    this.voteFile = voteFile;
    this.durable = durable;
    this.failed = failed;
  }

  /** Queues a write behind the earlier ones. */
  void submit(Ready.Write write) {
    queue.add(write);
    if (scheduled.compareAndSet(false, true)) {
      lane.execute(this::run);
    }
  }

  /**
   * Replaces the whole log, behind all that was submitted.
   *
   * @param snapshot stands for everything up to it
   * @param done told on the log lane
   */
  void reset(EntryId snapshot, Runnable done) {
    run(
        () -> {
          log.reset(snapshot);
          done.run();
        });
  }

  /** Gives up what the log holds up to {@code index}, behind all that was submitted. */
  void cut(long index) {
    run(() -> log.truncatePrefix(index));
  }

  private void run(Runnable change) {
    lane.execute(
        () -> {
          try {
            if (!stopped) {
              change.run();
            }
          } catch (Throwable failure) {
            // As after a failed write: what the disk holds is no longer known (F042).
            stopped = true;
            failed.accept(failure);
          }
        });
  }

  /** How often entries were synced, to set beside the disk's own count. */
  long batches() {
    return batches.get();
  }

  /** From now on, queued writes are dropped. */
  void stop() {
    stopped = true;
  }

  private void run() {
    try {
      scheduled.set(false);
      while (!stopped && !queue.isEmpty()) {
        writeBatch();
      }
    } catch (Throwable failure) {
      // A failed write or sync is never retried: what the disk holds is no longer known (F042).
      stopped = true;
      failed.accept(failure);
    }
  }

  private void writeBatch() {
    long bytes = 0;
    long sequence = 0;
    boolean lacked = LogRepair.isRepairing(voteFile);
    Ready.Write write;
    while (bytes < BATCH_BYTES_MAX && (write = queue.poll()) != null) {
      // The vote comes first: an entry of a term must not outlive the memory of that term.
      if (write.hardState() != null) {
        voteFile.store(write.hardState());
      }
      if (!write.entries().isEmpty()) {
        log.append(write.entries());
        bytes += sizeBytes(write.entries());
      }
      sequence = write.sequence();
    }
    if (bytes > 0) {
      log.sync();
      batches.incrementAndGet();
    }
    if (lacked && !LogRepair.isRepairing(voteFile)) {
      LOG.info("the log holds again all that was promised: from now on this node votes");
    }
    durable.accept(sequence);
  }

  private static long sizeBytes(List<Entry> entries) {
    long bytes = 0;
    for (Entry entry : entries) {
      bytes += entry.sizeBytes();
    }
    return bytes;
  }
}
