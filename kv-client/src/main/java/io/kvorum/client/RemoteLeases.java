package io.kvorum.client;

import io.kvorum.api.KeptLease;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseList;
import io.kvorum.api.LeaseListener;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.api.LeaseRevocation;
import io.kvorum.api.LeaseStatus;
import io.kvorum.api.Leases;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The leases of a {@link RemoteKvClient}. */
final class RemoteLeases implements Leases {
  private final RemoteKvClient client;
  private final LeaseKeeper keeper;

  RemoteLeases(RemoteKvClient client, LeaseKeeper keeper) {
    this.client = client;
    this.keeper = keeper;
  }

  @Override
  public CompletableFuture<LeaseGrant> grant(Duration ttl, long id) {
    return client.call(() -> LeaseRequests.grant(ttl, id), null);
  }

  @Override
  public CompletableFuture<LeaseRevocation> revoke(long id) {
    return client.call(() -> LeaseRequests.revoke(id), null);
  }

  @Override
  public CompletableFuture<LeaseRenewal> renew(long id) {
    return client
        .call(() -> LeaseRequests.renew(List.of(id)), null)
        .thenApply(renewals -> renewals.get(0));
  }

  @Override
  public KeptLease keepAlive(long id, LeaseListener listener) {
    return keeper.keep(id, listener);
  }

  @Override
  public CompletableFuture<LeaseStatus> status(long id, boolean keys) {
    return client.call(() -> LeaseRequests.status(id, keys), null);
  }

  @Override
  public CompletableFuture<LeaseList> list() {
    return client.call(LeaseRequests::list, null);
  }
}
