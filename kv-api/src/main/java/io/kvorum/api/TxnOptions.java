package io.kvorum.api;

import java.time.Duration;
import java.util.Optional;

/**
 * How to execute a transaction.
 *
 * @param consistency what the answer of one that only reads may rest on; one that can write is
 *     always linearizable
 * @param idempotencyKey what makes one that can write safe to repeat; of one that only reads: empty
 */
public record TxnOptions(ReadConsistency consistency, Optional<IdempotencyKey> idempotencyKey) {
  public static final TxnOptions DEFAULT = new TxnOptions(ReadConsistency.LINEARIZABLE);

  /** Without an idempotency key. */
  public TxnOptions(ReadConsistency consistency) {
    this(consistency, Optional.empty());
  }

  public TxnOptions withConsistency(ReadConsistency restsOn) {
    return new TxnOptions(restsOn, idempotencyKey);
  }

  /** Safe to repeat for so long, by whoever knows the key: see {@link IdempotencyKey}. */
  public TxnOptions withIdempotencyKey(Bytes key, Duration ttl) {
    return new TxnOptions(consistency, Optional.of(new IdempotencyKey(key, ttl)));
  }
}
