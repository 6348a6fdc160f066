package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An instance that stays registered, under one lease after the other, until this is closed.
 * Thread-safe.
 */
public final class Registration implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

  private final RecipePorts ports;
  private final Bytes key;
  private final OwnerLoop owners;

  /** Guards what follows; nobody else's code is called with it held. */
  private final Object lock = new Object();

  private final ArrayDeque<Update> updates = new ArrayDeque<>();
  private ServiceInstance wanted;
  private long wantedNumber;
  private @Nullable Owner owner;
  private boolean isWritten;
  private boolean isWriting;

  /** Whether somebody else has taken the place of this instance since it was written. */
  private boolean isReplaced;

  /** At which the key was last deleted by somebody else, as far as is known here. */
  private long deletedRevision;

  /** Follows the key for the present owner, once it is written. */
  private @Nullable Watch watch;

  /** Why nothing is written any more. */
  private @Nullable Throwable over;

  /**
   * Of the key, as it is known here; a put that comes late finds another one, and changes nothing.
   */
  private long modRevision;

  /** Who waits until the registry has that instance, or a later one. */
  private record Update(long number, CompletableFuture<Void> written) {}

  private Registration(RecipePorts ports, Bytes prefix, ServiceInstance instance, Duration ttl) {
    this.ports = ports;
    this.key = Lines.join(prefix, Bytes.utf8(instance.id()));
    this.wanted = instance;
    this.owners = new OwnerLoop(ports, ttl, this::begin, this::fail);
  }

  static Registration begin(
      RecipePorts ports, Bytes prefix, ServiceInstance instance, Duration ttl) {
    Registration registration = new Registration(ports, prefix, instance, ttl);
    registration.owners.start();
    return registration;
  }

  /** What the registry has, or will have as soon as the cluster can be reached. */
  public ServiceInstance instance() {
    synchronized (lock) {
      return wanted;
    }
  }

  /** Whether it is registered now, as it says, by what this process can tell. */
  public boolean isRegistered() {
    synchronized (lock) {
      return isWritten && !isReplaced && owner != null && owner.isAlive();
    }
  }

  /** Completes when the registry has the present instance, or a later one. */
  public CompletableFuture<Void> registered() {
    synchronized (lock) {
      return isWritten ? CompletableFuture.completedFuture(null) : await();
    }
  }

  /**
   * Registers the same instance with another health, address or metadata.
   *
   * @param other has the same id
   * @return completes when the registry has it, or what it was updated to meanwhile; that may take
   *     as long as the cluster cannot be reached
   */
  public CompletableFuture<Void> update(ServiceInstance other) {
    CompletableFuture<Void> written;
    synchronized (lock) {
      if (!other.id().equals(wanted.id())) {
        throw new IllegalArgumentException(
            "the id is " + wanted.id() + ", and stays; not " + other.id());
      }
      wanted = other;
      wantedNumber++;
      isWritten = false;
      written = await();
    }
    write();
    return written;
  }

  private CompletableFuture<Void> await() {
    if (over != null) {
      return CompletableFuture.failedFuture(over);
    }
    CompletableFuture<Void> written = owners.promise();
    updates.add(new Update(wantedNumber, written));
    return written;
  }

  private void begin(Owner opened) {
    opened.addDependent(why -> lost(opened));
    synchronized (lock) {
      owner = opened;
      isWritten = false;
    }
    write();
  }

  private void lost(Owner which) {
    synchronized (lock) {
      if (owner != which) {
        return;
      }
      owner = null;
      isWritten = false;
    }
    unwatch();
  }

  private void unwatch() {
    Watch last;
    synchronized (lock) {
      last = watch;
      watch = null;
    }
    if (last != null) {
      last.close();
    }
  }

  /** From the first put under an owner on. */
  private void watch(Owner under) {
    synchronized (lock) {
      if (watch == null && isWritten && owner == under) {
        // Under the lock, so that whoever ends it from now on finds it.
        watch = ports.client().watchWithSnapshot(KeyRange.single(key), new Follower(under));
      }
    }
  }

  /** Sees who has the key, and when nobody has it. The watch calls it from one thread at a time. */
  private final class Follower implements SnapshotListener {
    private final Owner under;

    Follower(Owner under) {
      this.under = under;
    }

    @Override
    public void snapshot(long revision, List<KeyValue> keyValues) {
      if (keyValues.isEmpty()) {
        deleted(revision);
      } else {
        put(keyValues.get(0).lease());
      }
    }

    @Override
    public void events(WatchEvents events) {
      for (WatchEvent event : events.events()) {
        if (event.type() == WatchEvent.Type.PUT) {
          put(event.keyValue().lease());
        } else {
          deleted(events.revision());
        }
      }
    }

    private void put(long lease) {
      synchronized (lock) {
        if (owner == under) {
          isReplaced = lease != under.id();
        }
      }
    }

    private void deleted(long revision) {
      synchronized (lock) {
        if (owner != under || isReplaced) {
          // What has ended is the registration of somebody else.
          return;
        }
        deletedRevision = Math.max(deletedRevision, revision);
        isWritten &= modRevision > revision;
      }
      write();
    }
  }

  /** Brings the registry to what is wanted, one put at a time. */
  private void write() {
    Owner under;
    Bytes value;
    long number;
    synchronized (lock) {
      if (isWriting || isWritten || owner == null) {
        return;
      }
      isWriting = true;
      under = owner;
      value = wanted.encoded();
      number = wantedNumber;
    }
    var unused =
        new Retry<>(ports, () -> put(under, value), under::isAlive)
            .start()
            .whenComplete((result, failure) -> wrote(under, number, result, failure));
  }

  private CompletableFuture<TxnResult> put(Owner under, Bytes value) {
    long known;
    synchronized (lock) {
      known = modRevision;
    }
    PutOptions onLease = PutOptions.DEFAULT.withLease(under.id());
    return ports
        .client()
        .txn(
            Txn.when(Compare.modRevision(key).isEqualTo(known))
                .then(Op.put(key, value, onLease))
                .otherwise(Op.get(key)));
  }

  private void wrote(
      Owner under, long number, @Nullable TxnResult result, @Nullable Throwable failure) {
    List<Update> done = new ArrayList<>();
    boolean isRefused;
    synchronized (lock) {
      isWriting = false;
      isRefused = result == null && owner == under;
      if (result != null && result.succeeded()) {
        modRevision = result.header().revision();
        // What we see of the deletion of an earlier put may come before or after this answer.
        isWritten = owner == under && number == wantedNumber && deletedRevision < modRevision;
        isReplaced = isReplaced && !isWritten;
        while (!updates.isEmpty() && updates.peek().number() <= number) {
          done.add(updates.remove());
        }
      } else if (result != null) {
        // Somebody else has put it, or an attempt of ours that we have heard nothing of.
        OpResult.Range found = (OpResult.Range) result.results().get(0);
        modRevision = found.keyValue().map(KeyValue::modRevision).orElse(0L);
      }
    }
    done.forEach(update -> ports.tell(() -> update.written().complete(null)));
    if (isRefused) {
      // Under this lease nothing can be put any more; the next one may do.
      LOG.debug("{} could not be registered; trying again", key, failure);
      owners.abandon(under);
    } else {
      watch(under);
      write();
    }
  }

  /**
   * Takes the instance out of the registry.
   *
   * @return completes when it is certainly out; fails when that is not known, and it goes when its
   *     lease ends
   */
  public CompletableFuture<Void> end() {
    fail(new IllegalStateException("the registration was closed"));
    return owners.end();
  }

  /** Nothing of it will be written any more. */
  private void fail(Throwable why) {
    List<Update> open;
    synchronized (lock) {
      over = why;
      owner = null;
      isWritten = false;
      open = List.copyOf(updates);
      updates.clear();
    }
    unwatch();
    open.forEach(update -> ports.tell(() -> update.written().completeExceptionally(why)));
  }

  /** As {@link #end}, without waiting. */
  @Override
  public void close() {
    var unused = end();
  }
}
