package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.PutOptions;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Holds back all who come until somebody lifts it: a key that exists as long as the barrier is
 * down.
 *
 * <p><b>Guarantees.</b> Who comes while it is down goes on only after it was lifted, and does go on
 * then, also if it is lowered again at once. Who is paused, or cut off from the cluster, meanwhile
 * goes on when that is over. On a lease, it is lifted when its owner is lost: one that is paused or
 * cut off for longer than its TTL no longer holds anybody back.
 *
 * <p><b>Not guaranteed:</b> that it is still lifted when those who waited go on.
 */
public final class Barrier {
  private final RecipePorts ports;
  private final Bytes key;

  private Barrier(RecipePorts ports, Bytes key) {
    this.ports = ports;
    this.key = key;
  }

  /** The barrier that is this key. */
  public static Barrier of(RecipePorts ports, String key) {
    return new Barrier(ports, Bytes.utf8(key));
  }

  /** Lowers it; if it is down already, nothing changes. It stays until it is lifted. */
  public CompletableFuture<Void> lower() {
    return lower(PutOptions.DEFAULT);
  }

  /** Lowers it for as long as the owner lives, at most; if it is down already, nothing changes. */
  public CompletableFuture<Void> lower(Owner owner) {
    return lower(PutOptions.DEFAULT.withLease(owner.id()));
  }

  private CompletableFuture<Void> lower(PutOptions options) {
    return ports.client().create(key, Bytes.EMPTY, options).thenApply(created -> null);
  }

  /** Lifts it; if it is not down, nothing changes. */
  public CompletableFuture<Void> lift() {
    return ports.client().delete(key).thenApply(deleted -> null);
  }

  /** Whether it is down now. */
  public CompletableFuture<Boolean> isDown() {
    return ports.client().get(key).thenApply(found -> found.value().isPresent());
  }

  /** Completes when it is not down, or was not at some time since. To cancel it ends the wait. */
  public CompletableFuture<Void> await() {
    Wait wait = new Wait();
    Watch watch = ports.client().watchWithSnapshot(KeyRange.single(key), wait);
    CompletableFuture<Void> lifted = watch.started().newIncompleteFuture();
    var unusedLifted = lifted.whenComplete((nothing, failure) -> watch.close());
    var unusedHeard =
        wait.heard.whenComplete(
            (nothing, failure) ->
                ports.tell(
                    () -> {
                      if (failure == null) {
                        lifted.complete(null);
                      } else {
                        lifted.completeExceptionally(Failures.cause(failure));
                      }
                    }));
    return lifted;
  }

  /** Hears of the key until it is, or was, gone. */
  private static final class Wait implements SnapshotListener {
    private final CompletableFuture<Void> heard = new CompletableFuture<>();
    private long loweredAt;

    @Override
    public void snapshot(long revision, List<KeyValue> keyValues) {
      long created = keyValues.isEmpty() ? 0 : keyValues.get(0).createRevision();
      // Read again after a compaction, it may be another barrier than the one that we have met.
      if (created == 0 || (loweredAt != 0 && created != loweredAt)) {
        heard.complete(null);
      }
      loweredAt = created;
    }

    @Override
    public void events(WatchEvents events) {
      if (events.events().stream().anyMatch(event -> event.type() == WatchEvent.Type.DELETE)) {
        heard.complete(null);
      }
    }

    @Override
    public void ended(WatchEnd end) {
      heard.completeExceptionally(
          end instanceof WatchEnd.Rejected rejected
              ? rejected.cause()
              : new IllegalStateException("closed while the barrier was down"));
    }
  }
}
