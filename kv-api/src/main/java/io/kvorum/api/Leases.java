package io.kvorum.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Leases: promises of a cluster to keep something for a time, unless renewed. Keys that are put
 * with {@link PutOptions#withLease} are deleted when their lease ends, all at once.
 *
 * <p>A lease never ends before its time, counted from the moment at which its last successful
 * renewal was asked for; it may end later, above all when the leader changes. That rests on clocks
 * of which none is wrong by more than 2.5 %.
 */
public interface Leases {
  /** Grants a lease with an id that the cluster chooses. */
  default CompletableFuture<LeaseGrant> grant(Duration ttl) {
    return grant(ttl, 0);
  }

  /**
   * Grants a lease. Rejected with {@link KvException.Reason#LEASE_EXISTS} if there is one with this
   * id, and with {@link KvException.Reason#LEASE_TTL_TOO_LARGE}.
   *
   * @param ttl to the millisecond; the cluster raises what is below 2 s
   * @param id any number; 0: the cluster chooses one
   */
  CompletableFuture<LeaseGrant> grant(Duration ttl, long id);

  /**
   * Ends a lease and deletes its keys, in one revision. Rejected with {@link
   * KvException.Reason#LEASE_NOT_FOUND}.
   */
  CompletableFuture<LeaseRevocation> revoke(long id);

  /** Renews a lease once: it lives for its whole time again. */
  CompletableFuture<LeaseRenewal> renew(long id);

  /**
   * Renews a lease again and again, each time after a third of its time, through changes of the
   * leader and lost connections. All leases of a client are renewed together. Until the first
   * renewal has succeeded, the time of the lease is not known here: then it counts as lost when
   * none has within the client's timeout for requests.
   */
  KeptLease keepAlive(long id, LeaseListener listener);

  /** What is known of a lease, without its keys. */
  default CompletableFuture<LeaseStatus> status(long id) {
    return status(id, false);
  }

  /** What is known of a lease. */
  CompletableFuture<LeaseStatus> status(long id, boolean keys);

  /** All leases. */
  CompletableFuture<LeaseList> list();
}
