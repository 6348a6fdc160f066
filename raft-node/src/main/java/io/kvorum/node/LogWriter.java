package io.kvorum.node;

import io.kvorum.disk.DiskFullException;
import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Ready;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the core's writes durable on the log lane. Batches form by nature: all that queued while
 * the last sync ran is written and synced together.
 *
 * <p>On a full disk a log that is whole waits for space, and all that was submitted waits with it,
 * unacknowledged (FAULTS F045). Only cuts do not wait: they free some.
 */
final class LogWriter {
  private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);

  /** Entries' bytes after which a batch is synced although more is queued. */
  private static final long BATCH_BYTES_MAX = 1 << 20;

  /** So often it is noted how far the log is durable: what is lost of it later is missed. */
  private static final long NOTE_NANOS = 1_000_000_000;

  private final Lane lane;
  private final LogStore log;
  private final VoteFile voteFile;
  private final LongConsumer durable;
  private final Consumer<Throwable> failed;

  private final ConcurrentLinkedQueue<Ready.Write> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong batches = new AtomicLong();
  private final BooleanSupplier relief;
  private volatile boolean stopped;

  /** How long ago it was noted; owned by the loop. */
  private long unnotedNanos;

  /** What there is no space for; owned by the log lane. */
  private Ready.@Nullable Write waiting;

  /** A replacement of the log, behind what waits; owned by the log lane. */
  private @Nullable Runnable waitingReset;

  private volatile boolean blocked;

  /**
   * A writer.
   *
   * @param durable told on the log lane: writes up to this sequence are durable
   * @param failed told on the log lane, or where the log does things in the background: nothing
   *     more will be durable
   * @param relief frees what is kept in reserve; false if nothing is
   */
  LogWriter(
      Lane lane,
      LogStore log,
      VoteFile voteFile,
      LongConsumer durable,
      Consumer<Throwable> failed,
      BooleanSupplier relief) {
    this.lane = lane;
    this.log = log;
    this.voteFile = voteFile;
    this.durable = durable;
    this.failed = failed;
    this.relief = relief;
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
          if (waiting == null) {
            log.reset(snapshot);
            done.run();
          } else {
            waitingReset = () -> reset(snapshot, done);
          }
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
            // An error as well: the log may be half changed.
            fail(failure);
          }
        });
  }

  /** What the disk holds is no longer known (F042). */
  private void fail(Throwable failure) {
    stopped = true;
    failed.accept(failure);
  }

  /**
   * Now and then has the log note, beside the writes, how far it is durable. On the loop.
   *
   * @param nanos since the last tick
   */
  void tick(long nanos) {
    unnotedNanos += nanos;
    if (unnotedNanos >= NOTE_NANOS && !stopped) {
      unnotedNanos = 0;
      log.noteDurable(this::fail);
    }
  }

  /** How often entries were synced, to set beside the disk's own count. */
  long batches() {
    return batches.get();
  }

  /** Whether it waits for space. Any thread. */
  boolean isBlocked() {
    return blocked;
  }

  /** Tries again, if it waits for space. Any thread. */
  void resume() {
    if (blocked) {
      run(this::writeWaiting);
    }
  }

  private void writeWaiting() {
    Ready.Write write = waiting;
    if (write == null) {
      return;
    }
    waiting = null;
    writeBatch(write);
    if (waiting == null) {
      blocked = false;
      LOG.info("there is space again: the log goes on behind {}", log.last());
      Runnable reset = waitingReset;
      waitingReset = null;
      run();
      if (reset != null) {
        reset.run();
      }
    }
  }

  /** From now on, queued writes are dropped. */
  void stop() {
    stopped = true;
  }

  private void run() {
    try {
      scheduled.set(false);
      while (!stopped && waiting == null && !queue.isEmpty()) {
        writeBatch(null);
      }
    } catch (Throwable failure) {
      // A failed write or sync is never retried.
      fail(failure);
    }
  }

  /**
   * Writes and syncs what is queued, as far as there is space.
   *
   * @param first what had to wait; or null
   */
  private void writeBatch(Ready.@Nullable Write first) {
    long bytes = 0;
    long sequence = 0;
    boolean lacked = LogRepair.isRepairing(voteFile);
    Ready.Write write = first;
    while (bytes < BATCH_BYTES_MAX && (write != null || (write = queue.poll()) != null)) {
      // The vote comes first: an entry of a term must not outlive the memory of that term.
      if (write.hardState() != null) {
        voteFile.store(write.hardState());
      }
      bytes += sizeBytes(write.entries());
      if (!append(write)) {
        break;
      }
      sequence = write.sequence();
      write = null;
    }
    if (bytes > 0) {
      log.sync();
      batches.incrementAndGet();
    }
    if (lacked && !LogRepair.isRepairing(voteFile)) {
      LOG.info("the log holds again all that was promised: from now on this node votes");
    }
    if (sequence > 0) {
      durable.accept(sequence);
    }
  }

  /** Whether all of it is in the log; if not, what is missing waits. */
  private boolean append(Ready.Write write) {
    try {
      log.append(write.entries());
      return true;
    } catch (DiskFullException full) {
      if (log.isDead()) {
        throw full;
      }
      List<Entry> missing = missing(write.entries());
      if (relief.getAsBoolean()) {
        return append(new Ready.Write(write.sequence(), null, missing));
      }
      if (!blocked) {
        LOG.error(
            "{}. The log is whole up to {} and waits for space; nothing behind it is acknowledged",
            full.getMessage(),
            log.last());
      }
      waiting = new Ready.Write(write.sequence(), null, missing);
      blocked = true;
      return false;
    }
  }

  /**
   * What the log does not end with. If its last entry is one of them, so are all before it (§5.3,
   * log matching).
   */
  private List<Entry> missing(List<Entry> entries) {
    long written = log.last().index() - entries.get(0).index() + 1;
    boolean isWritten =
        written > 0
            && written <= entries.size()
            && entries.get((int) written - 1).id().equals(log.last());
    return isWritten ? entries.subList((int) written, entries.size()) : entries;
  }

  private static long sizeBytes(List<Entry> entries) {
    long bytes = 0;
    for (Entry entry : entries) {
      bytes += entry.sizeBytes();
    }
    return bytes;
  }
}
