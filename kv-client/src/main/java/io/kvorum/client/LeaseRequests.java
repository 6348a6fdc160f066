package io.kvorum.client;

import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseList;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.api.LeaseRevocation;
import io.kvorum.api.LeaseStatus;
import io.kvorum.client.Request.Effect;
import io.kvorum.protocol.LeaseGrantRequest;
import io.kvorum.protocol.LeaseListRequest;
import io.kvorum.protocol.LeaseRenewRequest;
import io.kvorum.protocol.LeaseRevokeRequest;
import io.kvorum.protocol.LeaseStatusRequest;
import io.kvorum.protocol.LeaseWire;
import io.kvorum.protocol.ServerFrame.BodyCase;
import java.time.Duration;
import java.util.List;

/** {@link Requests} about leases. */
final class LeaseRequests {
  /** What a renewed lease adds to a request. */
  private static final int ID_BYTES_MAX = 11;

  private LeaseRequests() {}

  static Request<LeaseGrant> grant(Duration ttl, long id) {
    if (ttl.isNegative()) {
      throw Requests.invalid(
          "the time to live is "
              + ttl
              + ": it is at least 0, and the cluster raises what is below 2 s");
    }
    return new Request<>(
        LeaseGrantRequest.newBuilder().setId(id).setTtlMillis(millis(ttl)).build(),
        Effect.COMMAND,
        0,
        0,
        BodyCase.LEASE_GRANT,
        answer -> LeaseWire.grant(answer.getHeader(), answer.getLeaseGrant()));
  }

  /** May be sent again: a session that nobody knows of ends by itself. */
  static Request<LeaseGrant> openSession(Duration ttl) {
    return new Request<>(
        LeaseGrantRequest.newBuilder().setTtlMillis(millis(ttl)).setSession(true).build(),
        Effect.NONE,
        0,
        0,
        BodyCase.LEASE_GRANT,
        answer -> LeaseWire.grant(answer.getHeader(), answer.getLeaseGrant()));
  }

  /** May be sent again: it is gone all the same. */
  static Request<LeaseRevocation> endSession(long id) {
    return new Request<>(
        LeaseRevokeRequest.newBuilder().setId(id).build(),
        Effect.NONE,
        0,
        0,
        BodyCase.LEASE_REVOKE,
        answer -> LeaseWire.revocation(answer.getHeader(), answer.getLeaseRevoke()));
  }

  /** What does not fit is too long for the server in any case, and it shall say so. */
  private static long millis(Duration ttl) {
    return ttl.toSeconds() >= Long.MAX_VALUE / 1000 ? Long.MAX_VALUE : ttl.toMillis();
  }

  static Request<LeaseRevocation> revoke(long id) {
    return new Request<>(
        LeaseRevokeRequest.newBuilder().setId(checked(id)).build(),
        Effect.COMMAND,
        0,
        0,
        BodyCase.LEASE_REVOKE,
        answer -> LeaseWire.revocation(answer.getHeader(), answer.getLeaseRevoke()));
  }

  /** May be sent again: a second renewal does what the first one did. */
  static Request<List<LeaseRenewal>> renew(List<Long> ids) {
    ids.forEach(LeaseRequests::checked);
    return new Request<>(
        LeaseRenewRequest.newBuilder().addAllId(ids).build(),
        Effect.NONE,
        0,
        (long) ids.size() * ID_BYTES_MAX,
        BodyCase.LEASE_RENEW,
        answer -> LeaseWire.renewals(answer.getHeader(), ids, answer.getLeaseRenew()));
  }

  static Request<LeaseStatus> status(long id, boolean keys) {
    return new Request<>(
        LeaseStatusRequest.newBuilder().setId(checked(id)).setKeys(keys).build(),
        Effect.NONE,
        0,
        0,
        BodyCase.LEASE_STATUS,
        answer -> LeaseWire.status(answer.getHeader(), id, answer.getLeaseStatus()));
  }

  static Request<LeaseList> list() {
    return new Request<>(
        LeaseListRequest.getDefaultInstance(),
        Effect.NONE,
        0,
        0,
        BodyCase.LEASE_LIST,
        answer -> LeaseWire.list(answer.getHeader(), answer.getLeaseList()));
  }

  private static long checked(long id) {
    if (id == 0) {
      throw Requests.invalid("no lease has the id 0");
    }
    return id;
  }
}
