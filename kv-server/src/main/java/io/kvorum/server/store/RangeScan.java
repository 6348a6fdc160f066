package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range read, prepared on the apply lane and bound to the state of that moment; {@link #run()}
 * and {@link #close()} may be called on any thread. It must be closed, run or not: until then it
 * holds up the close of the store.
 */
public final class RangeScan implements AutoCloseable {
  private final ReadOutcome.@Nullable Refused<RangeResult> refused;
  private final @Nullable Plan plan;
  private boolean closed;

  private RangeScan(ReadOutcome.@Nullable Refused<RangeResult> refused, @Nullable Plan plan) {
    this.refused = refused;
    this.plan = plan;
  }

  static RangeScan refused(ReadOutcome.Refused<RangeResult> refused) {
    return new RangeScan(refused, null);
  }

  static RangeScan planned(Plan plan) {
    return new RangeScan(null, plan);
  }

  /**
   * Reads. The count takes a look at every key of the range, whatever the limit.
   *
   * @throws IllegalStateException if this is closed, or the store is being closed: try elsewhere
   * @throws java.io.UncheckedIOException if the disk fails or holds damaged bytes
   */
  public synchronized ReadOutcome<RangeResult> run() {
    if (closed) {
      throw new IllegalStateException("range scan is closed");
    }
    if (plan == null) {
      if (refused == null) {
        throw new AssertionError("a scan without plan is refused");
      }
      return refused;
    }
    return new ReadOutcome.Answered<>(plan.read());
  }

  /** Waits for a run under way. Closing twice is allowed. */
  @Override
  public synchronized void close() {
    closed = true;
    if (plan != null) {
      plan.snapshot().close();
    }
  }

  /**
   * What is read.
   *
   * @param snapshot holds every row of the range that the revision can see
   * @param revision at most the header's
   */
  record Plan(
      TableSnapshot snapshot,
      Header header,
      KeyRange range,
      RangeOptions options,
      long revision,
      long answerBytesMax) {

    RangeResult read() {
      Answer answer = new Answer();
      byte[] from = range.from().arrayUnsafe();
      byte[] to = range.to() == null ? null : range.to().arrayUnsafe();
      Versions versions = new Versions(snapshot);
      try (TableCursor rows = snapshot.scan(Table.LATEST, from, to, options.reverse())) {
        while (rows.next()) {
          LatestRow latest = LatestRow.decode(rows.value());
          boolean withValue = !options.keysOnly() && answer.wantsMore();
          KeyValue found = versions.at(revision, Bytes.wrapUnsafe(rows.key()), latest, withValue);
          if (found != null) {
            answer.add(found);
          }
        }
      }
      return new RangeResult(header, answer.found, answer.more, answer.count);
    }

    /** The answer as it grows. */
    private final class Answer {
      private final List<KeyValue> found = new ArrayList<>();
      private long count;
      private long bytes;
      private boolean more;

      boolean wantsMore() {
        return !more && !options.countOnly() && !isAtLimit();
      }

      private boolean isAtLimit() {
        return options.limit() != 0 && found.size() >= options.limit();
      }

      void add(KeyValue next) {
        count++;
        if (options.countOnly() || more) {
          return;
        }
        long nextBytes = StoreLimits.answerBytes(next);
        // One is returned whatever its size, or a reader could never get past it.
        if (isAtLimit() || (!found.isEmpty() && bytes + nextBytes > answerBytesMax)) {
          more = true;
          return;
        }
        found.add(next);
        bytes += nextBytes;
      }
    }
  }
}
