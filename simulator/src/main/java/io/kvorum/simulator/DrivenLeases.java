package io.kvorum.simulator;

import io.kvorum.api.KeptLease;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseList;
import io.kvorum.api.LeaseListener;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.api.LeaseRevocation;
import io.kvorum.api.LeaseStatus;
import io.kvorum.api.Leases;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Leases whose futures move virtual time on when they are waited for. */
final class DrivenLeases implements Leases {
  private final Leases leases;
  private final Driver driver;

  DrivenLeases(Leases leases, Driver driver) {
    this.leases = leases;
    this.driver = driver;
  }

  @Override
  public CompletableFuture<LeaseGrant> grant(Duration ttl, long id) {
    return driven(() -> leases.grant(ttl, id));
  }

  @Override
  public CompletableFuture<LeaseRevocation> revoke(long id) {
    return driven(() -> leases.revoke(id));
  }

  @Override
  public CompletableFuture<LeaseRenewal> renew(long id) {
    return driven(() -> leases.renew(id));
  }

  @Override
  public KeptLease keepAlive(long id, LeaseListener listener) {
    driver.requireOwner();
    return leases.keepAlive(id, listener);
  }

  @Override
  public CompletableFuture<LeaseStatus> status(long id, boolean keys) {
    return driven(() -> leases.status(id, keys));
  }

  @Override
  public CompletableFuture<LeaseList> list() {
    return driven(leases::list);
  }

  private <T> CompletableFuture<T> driven(Supplier<CompletableFuture<T>> call) {
    driver.requireOwner();
    return DrivenFuture.of(call.get(), driver);
  }
}
