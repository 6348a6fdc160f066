package io.kvorum.cli;

import io.kvorum.node.Clock;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** A bar on standard error that a person watches: how much of a file is read and stored. */
final class Progress {
  private static final long REDRAW_NANOS = 100_000_000;
  private static final int BAR_CELLS = 30;

  private final PrintWriter err;
  private final Clock clock;
  private final long sizeBytes;
  private final long start;
  private final AtomicLong read = new AtomicLong();
  private final AtomicLong redrawAt;

  /**
   * @param sizeBytes of what is read; 0: not known
   */
  Progress(PrintWriter err, Clock clock, long sizeBytes) {
    this.err = err;
    this.clock = clock;
    this.sizeBytes = sizeBytes;
    this.start = clock.nanoTime();
    this.redrawAt = new AtomicLong(start);
  }

  /** The same stream, watched. */
  InputStream watch(InputStream source) {
    return new FilterInputStream(source) {
      @Override
      public int read(byte[] buffer, int offset, int length) throws IOException {
        int count = super.read(buffer, offset, length);
        read.addAndGet(Math.max(0, count));
        return count;
      }
    };
  }

  /** Redraws, though not more often than the eye follows. From any thread. */
  void stored(long records) {
    long now = clock.nanoTime();
    long due = redrawAt.get();
    if (now - due >= 0 && redrawAt.compareAndSet(due, now + REDRAW_NANOS)) {
      draw(records, now);
    }
  }

  /** Draws once more and leaves the line. */
  void finish(long records) {
    draw(records, clock.nanoTime());
    err.println();
    err.flush();
  }

  private void draw(long records, long now) {
    StringBuilder line = new StringBuilder("\r");
    if (sizeBytes > 0) {
      double part = Math.min(1, (double) read.get() / sizeBytes);
      int full = (int) (part * BAR_CELLS);
      line.append('[').append("#".repeat(full)).append(".".repeat(BAR_CELLS - full)).append("] ");
      line.append(String.format(Locale.ROOT, "%3.0f %%  ", part * 100));
    }
    double seconds = Math.max(1e-3, (now - start) / 1e9);
    line.append(String.format(Locale.ROOT, "%,d stored, %,.0f/s ", records, records / seconds));
    err.print(line);
    err.flush();
  }
}
