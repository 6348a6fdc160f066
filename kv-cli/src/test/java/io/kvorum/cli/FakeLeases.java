package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.Header;
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
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/** Leases of a {@link FakeClient}: they never end by themselves. */
final class FakeLeases implements Leases {
  private static final Header HEADER = new Header(1, 1, 1, 0);

  private final NavigableMap<Long, Duration> granted = new TreeMap<>();
  private final LongFunction<List<Bytes>> keys;

  FakeLeases(LongFunction<List<Bytes>> keys) {
    this.keys = keys;
  }

  @Override
  public CompletableFuture<LeaseGrant> grant(Duration ttl, long id) {
    granted.put(id, ttl);
    return CompletableFuture.completedFuture(new LeaseGrant(HEADER, id, ttl));
  }

  @Override
  public CompletableFuture<LeaseRevocation> revoke(long id) {
    granted.remove(id);
    return CompletableFuture.completedFuture(new LeaseRevocation(HEADER, 0));
  }

  @Override
  public CompletableFuture<LeaseRenewal> renew(long id) {
    Duration ttl = granted.getOrDefault(id, Duration.ZERO);
    return CompletableFuture.completedFuture(new LeaseRenewal(HEADER, id, ttl));
  }

  @Override
  public KeptLease keepAlive(long id, LeaseListener listener) {
    throw new UnsupportedOperationException("nobody waits for ever");
  }

  @Override
  public CompletableFuture<LeaseStatus> status(long id, boolean withKeys) {
    Duration ttl = granted.getOrDefault(id, Duration.ZERO);
    List<Bytes> hanging = withKeys ? keys.apply(id) : List.of();
    return CompletableFuture.completedFuture(new LeaseStatus(HEADER, id, ttl, ttl, hanging));
  }

  @Override
  public CompletableFuture<LeaseList> list() {
    return CompletableFuture.completedFuture(new LeaseList(HEADER, List.copyOf(granted.keySet())));
  }
}
