package io.kvorum.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The leases of a store, as far as the keys of one namespace hang on them. */
record NamespaceLeases(Leases leases, PrefixMap map) implements Leases {
  @Override
  public CompletableFuture<LeaseGrant> grant(Duration ttl, long id) {
    return leases.grant(ttl, id);
  }

  @Override
  public CompletableFuture<LeaseRevocation> revoke(long id) {
    return leases.revoke(id);
  }

  @Override
  public CompletableFuture<LeaseRenewal> renew(long id) {
    return leases.renew(id);
  }

  @Override
  public KeptLease keepAlive(long id, LeaseListener listener) {
    return leases.keepAlive(id, listener);
  }

  @Override
  public CompletableFuture<LeaseStatus> status(long id, boolean keys) {
    return Derived.of(
        leases.status(id, keys),
        status ->
            new LeaseStatus(
                status.header(),
                status.id(),
                status.ttl(),
                status.remaining(),
                map.innerKeys(status.keys())));
  }

  @Override
  public CompletableFuture<LeaseList> list() {
    return leases.list();
  }
}
