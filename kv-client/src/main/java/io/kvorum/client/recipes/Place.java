package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A place in a {@link Line}: a key on the lease of its owner, from before it exists until it
 * certainly does not any more.
 *
 * <p><b>Turn.</b> That nobody is before us, and that our own key still exists as we created it, is
 * read in one transaction: while we waited, our lease may have ended and others may have come and
 * gone (FAULTS F129). Then the lease must also have time left by our own clock.
 *
 * <p><b>Loss.</b> Anybody may delete the key, and then others have their turn: {@link TurnKey}
 * looks after it.
 *
 * <p><b>Leaving.</b> A put that nobody has answered may still be on its way, and would take a place
 * behind our back (F130). So every put compares a marker, a key of its own, and whoever leaves in
 * doubt puts the marker first: from then on whatever is still under way changes nothing. A delete
 * compares the revision at which the key was created, so one that comes late deletes no later place
 * of the same owner.
 */
final class Place {
  private static final Logger LOG = LoggerFactory.getLogger(Place.class);

  private enum State {
    ENTERING,
    WAITING,
    TURN,
    LEAVING,
    GONE
  }

  private final Owner owner;
  private final KvClient client;
  private final Keys keys;
  private final Bytes value;
  private final Line line;
  private final CompletableFuture<Long> turn = new CompletableFuture<>();
  private final CompletableFuture<Void> blocked = new CompletableFuture<>();
  private final CompletableFuture<String> lost = new CompletableFuture<>();
  private final CompletableFuture<Void> gone = new CompletableFuture<>();
  private final Consumer<String> ownerEnd = this::ownerEnded;

  /** Guards what follows. Nothing is completed with it held. */
  private final Object lock = new Object();

  private State state = State.ENTERING;
  private boolean isWanted = true;
  private long created;
  private long marked;
  private boolean doubtful;
  private @Nullable Watch watch;
  private @Nullable TurnKey turnKey;

  /**
   * The keys of a place.
   *
   * @param place that its owner alone puts
   * @param marker see above; outside the line
   */
  record Keys(Bytes place, Bytes marker) {}

  Place(Owner owner, Keys keys, Bytes value, Line line) {
    this.owner = owner;
    this.client = owner.ports().client();
    this.keys = keys;
    this.value = value;
    this.line = line;
  }

  /** Begins. */
  void start() {
    owner.addDependent(ownerEnd);
    if (isWantedYet()) {
      enter();
    }
  }

  /**
   * Completes when it is the turn of this place, with the revision at which its key was created;
   * fails when it never will be.
   */
  CompletableFuture<Long> turn() {
    return turn;
  }

  /** The key that stands for it. */
  Bytes key() {
    return keys.place();
  }

  /** The revision at which the key was created; once it is the turn. */
  long created() {
    synchronized (lock) {
      return created;
    }
  }

  /** Completes when somebody was found to be before us. */
  CompletableFuture<Void> blocked() {
    return blocked;
  }

  /**
   * Completes with the reason, in words, if it was the turn of this place and is not any more,
   * though it was not left: the owner has lost its lease, or somebody has deleted the key.
   */
  CompletableFuture<String> lost() {
    return lost;
  }

  boolean isLost() {
    return lost.isDone();
  }

  /**
   * Completes when the key is certainly gone for good; fails when that is not known. It then goes
   * with the lease.
   */
  CompletableFuture<Void> gone() {
    return gone;
  }

  /** Gives the place up, whatever has become of it so far. May be called more than once. */
  void leave() {
    synchronized (lock) {
      isWanted = false;
      if (state != State.WAITING && state != State.TURN) {
        // Who is still on the way in leaves on arrival.
        return;
      }
      state = State.LEAVING;
    }
    endWatches();
    beginLeaving();
  }

  private void ownerEnded(String why) {
    synchronized (lock) {
      state = State.GONE;
    }
    endWatches();
    // Not if it was closed: whoever did that knows.
    var unused = owner.lost().thenAccept(lost::complete);
    turn.completeExceptionally(new OwnershipLostException(why));
    gone.complete(null);
  }

  private void endWatches() {
    Watch ended;
    TurnKey held;
    synchronized (lock) {
      ended = watch;
      watch = null;
      held = turnKey;
      turnKey = null;
    }
    if (ended != null) {
      ended.close();
    }
    if (held != null) {
      held.end();
    }
  }

  private void enter() {
    Retry<TxnResult> entry = new Retry<>(owner.ports(), this::create, this::isWantedStill);
    var unused =
        entry
            .start()
            .whenComplete(
                (result, failure) -> {
                  synchronized (lock) {
                    doubtful |= entry.isDoubtful();
                  }
                  if (result == null) {
                    fail(failure);
                  } else {
                    entered(result);
                  }
                });
  }

  private boolean isWantedStill() {
    return owner.isAlive() && isWantedYet();
  }

  private boolean isWantedYet() {
    synchronized (lock) {
      return isWanted && state != State.GONE;
    }
  }

  private CompletableFuture<TxnResult> create() {
    long known;
    synchronized (lock) {
      known = marked;
    }
    PutOptions onLease = PutOptions.DEFAULT.withLease(owner.id());
    return client.txn(
        Txn.when(
                Compare.createRevision(keys.place()).isEqualTo(0),
                Compare.modRevision(keys.marker()).isEqualTo(known))
            .then(Op.put(keys.place(), value, onLease))
            .otherwise(Op.get(keys.place()), Op.get(keys.marker())));
  }

  private void entered(TxnResult result) {
    if (result.succeeded()) {
      arrive(result.header().revision());
      return;
    }
    Optional<KeyValue> found = ((OpResult.Range) result.results().get(0)).keyValue();
    Optional<KeyValue> marker = ((OpResult.Range) result.results().get(1)).keyValue();
    if (found.isEmpty()) {
      // An earlier place of this owner has left in doubt; what it has marked is known now.
      synchronized (lock) {
        marked = marker.map(KeyValue::modRevision).orElse(0L);
      }
      enter();
    } else if (found.get().lease() == owner.id()) {
      // Nobody else puts it on this lease: an attempt of ours that we have heard nothing of.
      arrive(found.get().createRevision());
    } else {
      fail(new IllegalStateException(keys.place() + " was put by somebody else"));
    }
  }

  private void arrive(long revision) {
    boolean stays;
    synchronized (lock) {
      if (state != State.ENTERING) {
        return;
      }
      created = revision;
      stays = isWanted;
      state = stays ? State.WAITING : State.LEAVING;
    }
    if (stays) {
      look();
    } else {
      beginLeaving();
    }
  }

  private void look() {
    retry(
        () -> client.txn(Txn.when(isOurs()).then(line.before(created))),
        this::isWantedStill,
        this::looked,
        this::fail);
  }

  /** That the key is still the one that was created for this place. */
  Compare isOurs() {
    return Compare.createRevision(keys.place()).isEqualTo(created);
  }

  private void looked(TxnResult result) {
    if (!result.succeeded()) {
      fail(new OwnershipLostException("the key " + keys.place() + " is gone"));
      return;
    }
    OpResult.Range before = (OpResult.Range) result.results().get(0);
    Line.Blockers blockers = line.blockers(before.keyValues());
    if (!blockers.isTurn()) {
      blocked.complete(null);
      await(blockers, result.header().revision());
    } else if (!owner.isAlive()) {
      fail(new OwnershipLostException("the lease has run out"));
    } else {
      TurnKey held;
      synchronized (lock) {
        if (state != State.WAITING) {
          return;
        }
        state = State.TURN;
        held = new TurnKey(owner, keys.place(), isOurs(), this::lose);
        turnKey = held;
      }
      turn.complete(created);
      held.begin(result.header().revision());
    }
  }

  /** See {@link TurnKey#confirm}; nothing happens if it is not our turn. */
  void confirm(Runnable ours) {
    TurnKey held;
    synchronized (lock) {
      held = turnKey;
    }
    if (held != null) {
      held.confirm(ours);
    }
  }

  private void lose(String why) {
    synchronized (lock) {
      if (state != State.TURN) {
        return;
      }
      isWanted = false;
      state = State.LEAVING;
    }
    endWatches();
    LOG.info("a turn of lease {} is lost: {}", Long.toHexString(owner.id()), why);
    lost.complete(why);
    beginLeaving();
  }

  /** Looks again when enough of the blockers are gone. */
  private void await(Line.Blockers blockers, long revision) {
    synchronized (lock) {
      if (state != State.WAITING) {
        return;
      }
      // Under the lock, so that whoever leaves from now on finds it.
      WatchOptions deletes = WatchOptions.DEFAULT.withFromRevision(revision + 1).withoutPuts();
      watch = client.watch(blockers.range(), deletes, new Departures(blockers));
    }
  }

  /** Counts the blockers that go. Its watch calls it from one thread at a time. */
  private final class Departures implements WatchListener {
    private final Set<Bytes> present;
    private final int enough;

    Departures(Line.Blockers blockers) {
      present = new HashSet<>(blockers.keys());
      enough = blockers.keys().size() - blockers.deletions();
    }

    @Override
    public void events(WatchEvents events) {
      boolean waits = present.size() > enough;
      for (WatchEvent event : events.events()) {
        present.remove(event.keyValue().key());
      }
      if (waits && present.size() <= enough) {
        lookAgain();
      }
    }

    @Override
    public void ended(WatchEnd end) {
      if (end instanceof WatchEnd.Compacted) {
        // Somebody may have gone unseen.
        lookAgain();
      } else if (end instanceof WatchEnd.Rejected rejected) {
        fail(rejected.cause());
      } else if (end instanceof WatchEnd.ClientClosed) {
        fail(new OwnershipLostException("the client was closed"));
      }
    }
  }

  private void lookAgain() {
    synchronized (lock) {
      if (state != State.WAITING) {
        return;
      }
    }
    endWatches();
    look();
  }

  /** It will never be our turn; whatever is there of us has to go. */
  private void fail(@Nullable Throwable failure) {
    Throwable cause = failure == null ? new AssertionError("no failure") : failure;
    boolean isLost = Failures.isLeaseGone(cause) || (isWantedYet() && !owner.isAlive());
    Throwable told =
        isLost && !(cause instanceof OwnershipLostException)
            ? new OwnershipLostException("the lease has ended: " + cause.getMessage())
            : cause;
    synchronized (lock) {
      if (state == State.GONE || state == State.LEAVING) {
        return;
      }
      isWanted = false;
      state = State.LEAVING;
    }
    turn.completeExceptionally(told);
    beginLeaving();
  }

  private void beginLeaving() {
    boolean isDoubtful;
    synchronized (lock) {
      isDoubtful = doubtful;
    }
    if (isDoubtful) {
      // Whatever of us is still under way must change nothing any more, before we look.
      PutOptions onLease = PutOptions.DEFAULT.withLease(owner.id());
      retry(
          () -> client.put(keys.marker(), Bytes.EMPTY, onLease),
          owner::isAlive,
          put -> find(),
          this::finish);
    } else if (created == 0) {
      // Nothing was ever put.
      finish(null);
    } else {
      delete();
    }
  }

  private void find() {
    retry(
        () -> client.get(keys.place()),
        owner::isAlive,
        found -> {
          if (found.keyValue().isEmpty()) {
            finish(null);
            return;
          }
          created = found.keyValue().get().createRevision();
          delete();
        },
        this::finish);
  }

  private void delete() {
    retry(
        () -> client.txn(Txn.when(isOurs()).then(Op.delete(keys.place()))),
        owner::isAlive,
        deleted -> finish(null),
        this::finish);
  }

  private void finish(@Nullable Throwable failure) {
    synchronized (lock) {
      state = State.GONE;
    }
    owner.removeDependent(ownerEnd);
    if (failure == null || Failures.isLeaseGone(failure)) {
      gone.complete(null);
    } else {
      gone.completeExceptionally(failure);
    }
  }

  private <T> void retry(
      Supplier<CompletableFuture<T>> call,
      BooleanSupplier wanted,
      Consumer<T> next,
      Consumer<Throwable> otherwise) {
    var unused =
        new Retry<>(owner.ports(), call, wanted)
            .start()
            .whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    next.accept(value);
                  } else {
                    otherwise.accept(failure);
                  }
                });
  }
}
