package io.kvorum.api;

import java.time.Duration;
import java.util.Optional;

/**
 * How to delete.
 *
 * @param previous whether the answer carries what was deleted
 * @param idempotencyKey what makes the delete safe to repeat; inside a transaction: empty
 */
public record DeleteOptions(boolean previous, Optional<IdempotencyKey> idempotencyKey) {
  public static final DeleteOptions DEFAULT = new DeleteOptions(false);

  /** Without an idempotency key. */
  public DeleteOptions(boolean previous) {
    this(previous, Optional.empty());
  }

  /** With what was deleted in the answer. */
  public DeleteOptions withPrevious() {
    return new DeleteOptions(true, idempotencyKey);
  }

  /** Safe to repeat for so long, by whoever knows the key: see {@link IdempotencyKey}. */
  public DeleteOptions withIdempotencyKey(Bytes key, Duration ttl) {
    return new DeleteOptions(previous, Optional.of(new IdempotencyKey(key, ttl)));
  }
}
