package io.kvorum.protocol;

import io.kvorum.api.KvException;
import io.kvorum.api.ReadConsistency;
import java.time.Duration;

/** How {@link ReadConsistency} travels in a {@link RangeRequest}. */
final class WireConsistency {
  private WireConsistency() {}

  static RangeRequest.Builder set(RangeRequest.Builder request, ReadConsistency consistency) {
    if (consistency instanceof ReadConsistency.Linearizable) {
      return request;
    }
    if (consistency instanceof ReadConsistency.Lease) {
      return request.setConsistency(Consistency.LEASE);
    }
    if (consistency instanceof ReadConsistency.BoundedStaleness stale) {
      return request
          .setConsistency(Consistency.BOUNDED_STALENESS)
          .setStalenessBoundNanos(stale.bound().toNanos());
    }
    throw new AssertionError("unknown consistency " + consistency);
  }

  /**
   * The reverse of {@link #set}.
   *
   * @throws KvException.Rejected if the request asks for what is not known here
   */
  static ReadConsistency of(RangeRequest request) {
    long bound = request.getStalenessBoundNanos();
    return switch (request.getConsistency()) {
      case LINEARIZABLE -> ReadConsistency.LINEARIZABLE;
      case LEASE -> ReadConsistency.LEASE;
      case BOUNDED_STALENESS -> {
        if (bound < 0) {
          throw new KvException.Rejected(
              KvException.Reason.INVALID_ARGUMENT, "the bound of staleness is negative: " + bound);
        }
        yield ReadConsistency.boundedStaleness(Duration.ofNanos(bound));
      }
      case UNRECOGNIZED ->
          throw new KvException.Rejected(
              KvException.Reason.UNSUPPORTED,
              "this server does not know consistency " + request.getConsistencyValue());
    };
  }
}
