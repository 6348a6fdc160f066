package io.kvorum.client;

import com.google.protobuf.Message;
import io.kvorum.api.IdempotencyKey;
import io.kvorum.protocol.Consistency;
import io.kvorum.protocol.RangeRequest;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.TxnRequest;
import java.util.Optional;
import java.util.function.Function;

/**
 * What to ask, and how to read the answer.
 *
 * @param body one of the request messages of the protocol
 * @param effect whether executing it twice could differ from executing it once
 * @param keyBytes of its longest key
 * @param entryBytes of what it carries in all
 * @param answer what the server answers with, unless with an error
 * @param result reads the answer
 * @param idempotencyKey that its caller has given it
 */
record Request<T>(
    Message body,
    Effect effect,
    int keyBytes,
    long entryBytes,
    ServerFrame.BodyCase answer,
    Function<ServerFrame, T> result,
    Optional<IdempotencyKey> idempotencyKey) {
  /** What executing a request does. */
  enum Effect {
    /** Nothing, or the same however often. */
    NONE,
    /** A change of the store, which can be numbered in a session and so take effect once. */
    COMMAND,
    /** Something that the store knows nothing of. */
    OUTSIDE
  }

  /** Without an idempotency key. */
  Request(
      Message body,
      Effect effect,
      int keyBytes,
      long entryBytes,
      ServerFrame.BodyCase answer,
      Function<ServerFrame, T> result) {
    this(body, effect, keyBytes, entryBytes, answer, result, Optional.empty());
  }

  /** Whether executing it twice could differ from executing it once. */
  boolean isWrite() {
    return effect != Effect.NONE;
  }

  /**
   * Whether a member may answer it that does not lead. Not if it names a revision, which such a
   * member may not have come to.
   */
  boolean mayBeStale() {
    if (body instanceof RangeRequest range) {
      return range.getConsistency() == Consistency.BOUNDED_STALENESS && range.getRevision() == 0;
    }
    return body instanceof TxnRequest txn && txn.getConsistency() == Consistency.BOUNDED_STALENESS;
  }

  Request<T> withIdempotencyKey(Optional<IdempotencyKey> key) {
    return new Request<>(body, effect, keyBytes, entryBytes, answer, result, key);
  }
}
