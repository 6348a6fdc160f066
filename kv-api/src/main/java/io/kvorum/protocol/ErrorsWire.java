package io.kvorum.protocol;

import io.kvorum.api.KvException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@link Wire} for what a caller may conclude from a failure. */
public final class ErrorsWire {
  private ErrorsWire() {}

  /** The error that makes the other end throw the like of this exception. */
  public static Error toProto(KvException exception) {
    Error.Builder error = Error.newBuilder().setMessage(String.valueOf(exception.getMessage()));
    if (exception instanceof KvException.Overloaded overloaded) {
      long retryMillis = overloaded.retryAfter().toMillis();
      return error
          .setKind(Error.Kind.UNAVAILABLE)
          .setReason(Error.Reason.OVERLOADED)
          .setRetryAfterMillis((int) Math.max(0, Math.min(retryMillis, Integer.MAX_VALUE)))
          .build();
    }
    if (exception instanceof KvException.NoSpace) {
      return error.setKind(Error.Kind.UNAVAILABLE).setReason(Error.Reason.NO_SPACE).build();
    }
    if (exception instanceof KvException.Unavailable) {
      return error.setKind(Error.Kind.UNAVAILABLE).build();
    }
    if (exception instanceof KvException.OutcomeUnknown) {
      return error.setKind(Error.Kind.OUTCOME_UNKNOWN).build();
    }
    if (exception instanceof KvException.Rejected rejected) {
      if (rejected instanceof KvException.Compacted compacted) {
        error.setCompactRevision(compacted.compactRevision());
      }
      return error.setKind(Error.Kind.REJECTED).setReason(toProto(rejected.reason())).build();
    }
    throw new AssertionError("a KvException the protocol has no kind for: " + exception);
  }

  /**
   * What a caller may conclude from an error.
   *
   * <p>A kind that this version does not know leaves the outcome unknown: the only conclusion that
   * is never wrong.
   */
  public static KvException toException(Error error) {
    return switch (error.getKind()) {
      case UNAVAILABLE -> unavailable(error);
      case REJECTED -> rejected(error);
      case OUTCOME_UNKNOWN -> new KvException.OutcomeUnknown(message(error));
      case KIND_UNSPECIFIED, UNRECOGNIZED ->
          new KvException.OutcomeUnknown(
              "the server answered with an error of unknown kind "
                  + error.getKindValue()
                  + ": "
                  + message(error));
    };
  }

  private static KvException unavailable(Error error) {
    if (error.getReason() == Error.Reason.OVERLOADED) {
      // An unsigned number on the wire.
      long retryMillis = Integer.toUnsignedLong(error.getRetryAfterMillis());
      return new KvException.Overloaded(message(error), Duration.ofMillis(retryMillis));
    }
    return error.getReason() == Error.Reason.NO_SPACE
        ? new KvException.NoSpace(message(error))
        : new KvException.Unavailable(message(error));
  }

  private static KvException rejected(Error error) {
    KvException.Reason reason = rejectionReason(error.getReason());
    if (reason == null) {
      return new KvException.Rejected(
          KvException.Reason.UNSUPPORTED,
          "rejected for reason "
              + error.getReasonValue()
              + ", which this version does not know: "
              + message(error));
    }
    return reason == KvException.Reason.REVISION_COMPACTED
        ? new KvException.Compacted(message(error), error.getCompactRevision())
        : new KvException.Rejected(reason, message(error));
  }

  private static String message(Error error) {
    return error.getMessage().isEmpty() ? error.getReason().name() : error.getMessage();
  }

  /** Null: not a reason to reject, or one that only a newer version knows. */
  private static KvException.@Nullable Reason rejectionReason(Error.Reason reason) {
    return switch (reason) {
      case INVALID_ARGUMENT -> KvException.Reason.INVALID_ARGUMENT;
      case TOO_LARGE -> KvException.Reason.TOO_LARGE;
      case REVISION_COMPACTED -> KvException.Reason.REVISION_COMPACTED;
      case REVISION_IN_FUTURE -> KvException.Reason.REVISION_IN_FUTURE;
      case WRONG_CLUSTER -> KvException.Reason.WRONG_CLUSTER;
      case UNSUPPORTED -> KvException.Reason.UNSUPPORTED;
      case KEY_NOT_FOUND -> KvException.Reason.KEY_NOT_FOUND;
      case LEASE_NOT_FOUND -> KvException.Reason.LEASE_NOT_FOUND;
      case LEASE_EXISTS -> KvException.Reason.LEASE_EXISTS;
      case LEASE_TTL_TOO_LARGE -> KvException.Reason.LEASE_TTL_TOO_LARGE;
      case SESSION_EXPIRED -> KvException.Reason.SESSION_EXPIRED;
      case IDEMPOTENCY_KEY_REUSED -> KvException.Reason.IDEMPOTENCY_KEY_REUSED;
      case DUPLICATE_KEY -> KvException.Reason.DUPLICATE_KEY;
      case TOO_MANY_OPERATIONS -> KvException.Reason.TOO_MANY_OPERATIONS;
      case NOT_A_COUNTER -> KvException.Reason.NOT_A_COUNTER;
      case COUNTER_OVERFLOW -> KvException.Reason.COUNTER_OVERFLOW;
      case MEMBERS_REFUSED -> KvException.Reason.MEMBERS_REFUSED;
      case MEMBERS_CHANGED -> KvException.Reason.MEMBERS_CHANGED;
      case SNAPSHOT_GONE -> KvException.Reason.SNAPSHOT_GONE;
      case SPACE_EXCEEDED -> KvException.Reason.SPACE_EXCEEDED;
      case REASON_UNSPECIFIED,
          NOT_LEADER,
          OVERLOADED,
          SHUTTING_DOWN,
          LEADERSHIP_LOST,
          TIMED_OUT,
          NO_SPACE,
          UNRECOGNIZED ->
          null;
    };
  }

  private static Error.Reason toProto(KvException.Reason reason) {
    return switch (reason) {
      case INVALID_ARGUMENT -> Error.Reason.INVALID_ARGUMENT;
      case TOO_LARGE -> Error.Reason.TOO_LARGE;
      case REVISION_COMPACTED -> Error.Reason.REVISION_COMPACTED;
      case REVISION_IN_FUTURE -> Error.Reason.REVISION_IN_FUTURE;
      case WRONG_CLUSTER -> Error.Reason.WRONG_CLUSTER;
      case UNSUPPORTED -> Error.Reason.UNSUPPORTED;
      case KEY_NOT_FOUND -> Error.Reason.KEY_NOT_FOUND;
      case LEASE_NOT_FOUND -> Error.Reason.LEASE_NOT_FOUND;
      case LEASE_EXISTS -> Error.Reason.LEASE_EXISTS;
      case LEASE_TTL_TOO_LARGE -> Error.Reason.LEASE_TTL_TOO_LARGE;
      case SESSION_EXPIRED -> Error.Reason.SESSION_EXPIRED;
      case IDEMPOTENCY_KEY_REUSED -> Error.Reason.IDEMPOTENCY_KEY_REUSED;
      case DUPLICATE_KEY -> Error.Reason.DUPLICATE_KEY;
      case TOO_MANY_OPERATIONS -> Error.Reason.TOO_MANY_OPERATIONS;
      case NOT_A_COUNTER -> Error.Reason.NOT_A_COUNTER;
      case COUNTER_OVERFLOW -> Error.Reason.COUNTER_OVERFLOW;
      case MEMBERS_REFUSED -> Error.Reason.MEMBERS_REFUSED;
      case MEMBERS_CHANGED -> Error.Reason.MEMBERS_CHANGED;
      case SNAPSHOT_GONE -> Error.Reason.SNAPSHOT_GONE;
      case SPACE_EXCEEDED -> Error.Reason.SPACE_EXCEEDED;
    };
  }
}
