package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import java.util.concurrent.CompletableFuture;

/**
 * How not to make a lock: it looks whether somebody holds it, and takes it if not. Two that look at
 * the same time both take it. {@code LocksTest} lets the simulator find that; {@link TicketLock} is
 * how to do it.
 */
public final class NaiveLock {
  private final KvClient kv;
  private final Bytes key;
  private final Bytes owner;

  /** The lock that is this key, for one owner. */
  public NaiveLock(KvClient kv, String key, String owner) {
    this.kv = kv;
    this.key = Bytes.utf8(key);
    this.owner = Bytes.utf8(owner);
  }

  /** Whether it was free, and is this owner's now: or so it believes. */
  public CompletableFuture<Boolean> tryAcquire() {
    return kv.get(key)
        .thenCompose(
            found ->
                found.value().isPresent()
                    ? CompletableFuture.completedFuture(false)
                    : kv.put(key, owner).thenApply(put -> true));
  }

  /** Lets the next one in. */
  public CompletableFuture<?> release() {
    return kv.delete(key);
  }
}
