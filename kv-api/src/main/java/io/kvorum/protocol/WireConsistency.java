package io.kvorum.protocol;

import io.kvorum.api.KvException;
import io.kvorum.api.ReadConsistency;
import java.time.Duration;

/** How {@link ReadConsistency} travels in a request. */
final class WireConsistency {
  private WireConsistency() {}

  static RangeRequest.Builder set(RangeRequest.Builder request, ReadConsistency consistency) {
    return request
        .setConsistency(toProto(consistency))
        .setStalenessBoundNanos(boundNanos(consistency));
  }

  static TxnRequest.Builder set(TxnRequest.Builder request, ReadConsistency consistency) {
    return request
        .setConsistency(toProto(consistency))
        .setStalenessBoundNanos(boundNanos(consistency));
  }

  private static Consistency toProto(ReadConsistency consistency) {
    if (consistency instanceof ReadConsistency.Linearizable) {
      return Consistency.LINEARIZABLE;
    }
    if (consistency instanceof ReadConsistency.Lease) {
      return Consistency.LEASE;
    }
    if (consistency instanceof ReadConsistency.BoundedStaleness) {
      return Consistency.BOUNDED_STALENESS;
    }
    throw new AssertionError("unknown consistency " + consistency);
  }

  private static long boundNanos(ReadConsistency consistency) {
    return consistency instanceof ReadConsistency.BoundedStaleness stale
        ? stale.bound().toNanos()
        : 0;
  }

  /**
   * The reverse of {@link #set(RangeRequest.Builder, ReadConsistency)}.
   *
   * @throws KvException.Rejected if the request asks for what is not known here
   */
  static ReadConsistency of(RangeRequest request) {
    return of(request.getConsistencyValue(), request.getStalenessBoundNanos());
  }

  /** As {@link #of(RangeRequest)}. */
  static ReadConsistency of(TxnRequest request) {
    return of(request.getConsistencyValue(), request.getStalenessBoundNanos());
  }

  private static ReadConsistency of(int number, long boundNanos) {
    Consistency consistency = Consistency.forNumber(number);
    if (consistency == null) {
      throw Wire.unsupported("consistency", number);
    }
    return switch (consistency) {
      case LINEARIZABLE -> ReadConsistency.LINEARIZABLE;
      case LEASE -> ReadConsistency.LEASE;
      case BOUNDED_STALENESS -> {
        if (boundNanos < 0) {
          throw new KvException.Rejected(
              KvException.Reason.INVALID_ARGUMENT,
              "the bound of staleness is negative: " + boundNanos);
        }
        yield ReadConsistency.boundedStaleness(Duration.ofNanos(boundNanos));
      }
      case UNRECOGNIZED -> throw Wire.unsupported("consistency", number);
    };
  }
}
