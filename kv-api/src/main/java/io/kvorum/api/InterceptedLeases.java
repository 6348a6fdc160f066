package io.kvorum.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Leases each of whose calls is told. */
record InterceptedLeases(Leases leases, InterceptedKvClient.Interception interception)
    implements Leases {
  @Override
  public CompletableFuture<LeaseGrant> grant(Duration ttl, long id) {
    return around("leases.grant", () -> leases.grant(ttl, id));
  }

  @Override
  public CompletableFuture<LeaseRevocation> revoke(long id) {
    return around("leases.revoke", () -> leases.revoke(id));
  }

  @Override
  public CompletableFuture<LeaseRenewal> renew(long id) {
    return around("leases.renew", () -> leases.renew(id));
  }

  @Override
  public KeptLease keepAlive(long id, LeaseListener listener) {
    return leases.keepAlive(id, listener);
  }

  @Override
  public CompletableFuture<LeaseStatus> status(long id, boolean keys) {
    return around("leases.status", () -> leases.status(id, keys));
  }

  @Override
  public CompletableFuture<LeaseList> list() {
    return around("leases.list", leases::list);
  }

  private <T> CompletableFuture<T> around(String name, Supplier<CompletableFuture<T>> call) {
    return interception.around(name, null, 0, call);
  }
}
