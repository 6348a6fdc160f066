package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import org.jspecify.annotations.Nullable;

/** A read of a range. */
public final class RangeScan implements PinnedRead<RangeResult> {
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

  /** {@inheritDoc} A count takes a look at every key of the range, whatever the limit. */
  @Override
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
      RangeAnswer answer = new RangeAnswer(options, answerBytesMax);
      byte[] from = range.from().arrayUnsafe();
      byte[] to = range.to() == null ? null : range.to().arrayUnsafe();
      Versions versions = new Versions(snapshot);
      boolean reverse = RangeAnswer.scansInReverse(options);
      try (TableCursor rows = snapshot.scan(Table.LATEST, from, to, reverse)) {
        while (!answer.isComplete() && rows.next()) {
          Bytes key = Bytes.wrapUnsafe(rows.key());
          LatestRow latest = LatestRow.decode(rows.value());
          answer.offer(withValue -> versions.at(revision, key, latest, withValue));
        }
      }
      return new RangeResult(header, answer.keyValues(), answer.more(), answer.count());
    }
  }
}
