package io.kvorum.api;

import java.time.Duration;
import java.util.function.Supplier;

/** {@link Leases} whose calls wait for their results and throw {@link KvException}. */
public final class BlockingLeases {
  private final Supplier<KvClient> client;

  /**
   * Those of a client.
   *
   * @param client throws where a call must not wait
   */
  BlockingLeases(Supplier<KvClient> client) {
    this.client = client;
  }

  private Leases leases() {
    return client.get().leases();
  }

  /** See {@link Leases#grant(Duration)}. */
  public LeaseGrant grant(Duration ttl) {
    return BlockingKvClient.await(leases().grant(ttl));
  }

  /** See {@link Leases#grant(Duration, long)}. */
  public LeaseGrant grant(Duration ttl, long id) {
    return BlockingKvClient.await(leases().grant(ttl, id));
  }

  /** See {@link Leases#revoke}. */
  public LeaseRevocation revoke(long id) {
    return BlockingKvClient.await(leases().revoke(id));
  }

  /** See {@link Leases#renew}. */
  public LeaseRenewal renew(long id) {
    return BlockingKvClient.await(leases().renew(id));
  }

  /** See {@link Leases#status(long)}. */
  public LeaseStatus status(long id) {
    return BlockingKvClient.await(leases().status(id));
  }

  /** See {@link Leases#status(long, boolean)}. */
  public LeaseStatus status(long id, boolean keys) {
    return BlockingKvClient.await(leases().status(id, keys));
  }

  /** See {@link Leases#list}. */
  public LeaseList list() {
    return BlockingKvClient.await(leases().list());
  }
}
