package io.kvorum.api;

import java.time.Duration;
import java.util.Optional;

/**
 * How to put.
 *
 * @param previous whether the answer carries what the key held before
 * @param keepValue the value stays as it is, and only the lease changes: the key must exist, and
 *     the value given be empty
 * @param lease that the key hangs on from now on; 0: none
 * @param keepLease the key stays on the lease it hangs on: the key must exist, and {@code lease} be
 *     0
 * @param idempotencyKey what makes the put safe to repeat; of a put inside a transaction: empty
 */
public record PutOptions(
    boolean previous,
    boolean keepValue,
    long lease,
    boolean keepLease,
    Optional<IdempotencyKey> idempotencyKey) {
  public static final PutOptions DEFAULT = new PutOptions(false, false, 0, false);

  /** Without an idempotency key. */
  public PutOptions(boolean previous, boolean keepValue, long lease, boolean keepLease) {
    this(previous, keepValue, lease, keepLease, Optional.empty());
  }

  /** With what the key held before in the answer. */
  public PutOptions withPrevious() {
    return new PutOptions(true, keepValue, lease, keepLease, idempotencyKey);
  }

  /** Of a key that exists, the value stays. */
  public PutOptions withKeepValue() {
    return new PutOptions(previous, true, lease, keepLease, idempotencyKey);
  }

  public PutOptions withLease(long id) {
    return new PutOptions(previous, keepValue, id, keepLease, idempotencyKey);
  }

  /** Of a key that exists, the lease stays. */
  public PutOptions withKeepLease() {
    return new PutOptions(previous, keepValue, lease, true, idempotencyKey);
  }

  /** Safe to repeat for so long, by whoever knows the key: see {@link IdempotencyKey}. */
  public PutOptions withIdempotencyKey(Bytes key, Duration ttl) {
    Optional<IdempotencyKey> given = Optional.of(new IdempotencyKey(key, ttl));
    return new PutOptions(previous, keepValue, lease, keepLease, given);
  }
}
