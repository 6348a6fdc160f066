package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The key of a {@link Place} whose turn it is: says when somebody else has deleted it, a person
 * with a wide prefix or a process that was told to clean up. While the key is there, nobody can
 * have got before it.
 *
 * <p>It is watched from the revision on at which it was seen, so nothing is missed though the watch
 * begins late: what is held for a moment only shall not pay for one.
 */
final class TurnKey {
  private static final Duration UNWATCHED = Duration.ofMillis(100);

  private final Owner owner;
  private final KvClient client;
  private final Bytes key;
  private final Compare isOurs;
  private final Consumer<String> lost;

  /** Guards what follows. */
  private final Object lock = new Object();

  private @Nullable Watch watch;
  private boolean isOver;

  /**
   * Not watched yet.
   *
   * @param isOurs that the key is still the one that was created for the place
   * @param lost is told why; more than once, and also late
   */
  TurnKey(Owner owner, Bytes key, Compare isOurs, Consumer<String> lost) {
    this.owner = owner;
    this.client = owner.ports().client();
    this.key = key;
    this.isOurs = isOurs;
    this.lost = lost;
  }

  /** From now on, until the end; at that revision it was there. */
  void begin(long revision) {
    owner.ports().timers().after(UNWATCHED, () -> watch(revision));
  }

  private void watch(long revision) {
    synchronized (lock) {
      if (isOver) {
        return;
      }
      // Under the lock, so that whoever ends it from now on finds it.
      WatchOptions deletes = WatchOptions.DEFAULT.withFromRevision(revision + 1).withoutPuts();
      watch = client.watch(KeyRange.single(key), deletes, new Deletion());
    }
  }

  /** Looks whether the key is there, a linearizable read; if it is not, that is a loss. */
  void confirm(Runnable ours) {
    check(revision -> ours.run());
  }

  private void check(LongConsumer ours) {
    var unused =
        new Retry<>(owner.ports(), () -> client.txn(Txn.when(isOurs)), this::isWanted)
            .start()
            .whenComplete(
                (result, failure) -> {
                  if (result == null) {
                    unsure(failure);
                  } else {
                    checked(result, ours);
                  }
                });
  }

  private void checked(TxnResult result, LongConsumer ours) {
    if (result.succeeded()) {
      ours.accept(result.header().revision());
    } else {
      lost.accept("its key " + key + " was deleted");
    }
  }

  private boolean isWanted() {
    synchronized (lock) {
      return !isOver && owner.isAlive();
    }
  }

  /** Nobody can say any more that the key is there. If the lease is over, its owner tells. */
  private void unsure(@Nullable Throwable failure) {
    if (isWanted()) {
      lost.accept("its key " + key + " cannot be seen: " + failure);
    }
  }

  /** Closes the watch, before the key is deleted in good order. */
  void end() {
    Watch last;
    synchronized (lock) {
      isOver = true;
      last = watch;
      watch = null;
    }
    if (last != null) {
      last.close();
    }
  }

  /** Hears that the key was deleted, and not by us. */
  private final class Deletion implements WatchListener {
    @Override
    public void events(WatchEvents events) {
      lost.accept("its key " + key + " was deleted at revision " + events.revision());
    }

    @Override
    public void ended(WatchEnd end) {
      if (end instanceof WatchEnd.Compacted) {
        // It may have gone unseen.
        check(TurnKey.this::watch);
      } else if (end instanceof WatchEnd.Rejected rejected) {
        unsure(rejected.cause());
      }
    }
  }
}
