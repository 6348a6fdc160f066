package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeptLease;
import io.kvorum.api.KvClient;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseListener;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whoever holds locks, leads, or owns messages of a queue: one lease, kept alive, that all of it
 * hangs on. So all of it is lost together, and each part is told once.
 *
 * <p>The owner counts its lease by its own clock, from when it asked for the last renewal that
 * succeeded, and a little less. It is therefore lost here before the cluster can end it, unless
 * clocks differ by more than 2.5 %; but nobody who was paused knows yet that he was. What must not
 * be touched by two owners at once is protected by {@link FencingGuard}, not by time.
 *
 * <p>An owner stands for one logical participant, such as a process. Threads that have to exclude
 * each other take an owner each. A lost owner stays lost: whoever goes on opens a new one.
 */
public final class Owner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Owner.class);

  private final RecipePorts ports;
  private final long id;

  /** A future of this client: new ones are made of it, since some clients have their own kind. */
  private final CompletableFuture<?> kind;

  private final CompletableFuture<String> lost;
  private final AtomicLong numbers = new AtomicLong();
  private volatile @Nullable KeptLease kept;

  /** Guards what follows; nobody else's code is called with it held. */
  private final Object lock = new Object();

  private final Set<Consumer<String>> dependents = new LinkedHashSet<>();
  private final Map<Bytes, ClaimReference> claims = new HashMap<>();
  private final ReferenceQueue<Claim> unusedClaims = new ReferenceQueue<>();
  private @Nullable String over;

  private Owner(RecipePorts ports, long id, CompletableFuture<?> kind) {
    this.ports = ports;
    this.id = id;
    this.kind = kind;
    this.lost = kind.newIncompleteFuture();
  }

  /** Opens with {@link RecipePorts#of}. */
  public static CompletableFuture<Owner> open(KvClient client, Duration ttl) {
    return open(RecipePorts.of(client), ttl);
  }

  /**
   * Grants a lease and keeps it alive; completes when it has been renewed for the first time, so
   * that from then on its time is known. Fails with what the grant failed with, or with {@link
   * OwnershipLostException}.
   *
   * @param ttl how long others wait for what a crashed owner held; the cluster raises what is below
   *     2 s. A pause or partition that is longer costs the owner everything
   */
  public static CompletableFuture<Owner> open(RecipePorts ports, Duration ttl) {
    CompletableFuture<LeaseGrant> granted = ports.client().leases().grant(ttl);
    CompletableFuture<Owner> opened = granted.newIncompleteFuture();
    var unused =
        granted.whenComplete(
            (grant, failure) -> {
              if (failure == null) {
                new Owner(ports, grant.id(), granted).keep(opened);
              } else {
                Throwable cause = Failures.cause(failure);
                ports.tell(() -> opened.completeExceptionally(cause));
              }
            });
    return opened;
  }

  private void keep(CompletableFuture<Owner> opened) {
    CompletableFuture<@Nullable String> firstNews = new CompletableFuture<>();
    LeaseListener listener =
        new LeaseListener() {
          @Override
          public void lost(long lease, String why) {
            lose(why);
            firstNews.complete(why);
          }

          @Override
          public void confirmed(long lease) {
            firstNews.complete(null);
          }
        };
    kept = ports.client().leases().keepAlive(id, listener);
    var unused = firstNews.thenAccept(why -> ports.tell(() -> tellOpened(opened, why)));
  }

  private void tellOpened(CompletableFuture<Owner> opened, @Nullable String lostWhy) {
    if (lostWhy != null) {
      opened.completeExceptionally(new OwnershipLostException(lostWhy));
    } else if (!opened.complete(this)) {
      // Cancelled meanwhile: nobody has this owner.
      close();
    }
  }

  /** The lease. */
  public long id() {
    return id;
  }

  /**
   * Whether the lease certainly exists now: false as soon as its time is over by the own clock,
   * even if nobody has been told yet.
   */
  public boolean isAlive() {
    KeptLease present = kept;
    return present != null && present.isAlive();
  }

  /**
   * Completes with the reason, in words, when the owner has lost its lease, also because the client
   * was closed, so that nobody renews it; never if the owner is closed before.
   */
  public CompletableFuture<String> lost() {
    return lost.copy();
  }

  /** Runs the callback with the reason when the owner has lost its lease, or now, if it has. */
  public void onLost(Consumer<String> callback) {
    var unused = lost.thenAccept(why -> ports.tell(() -> callback.accept(why)));
  }

  RecipePorts ports() {
    return ports;
  }

  /** A number that this owner has not had before. */
  long nextNumber() {
    return numbers.incrementAndGet();
  }

  /** An open future for the application, of the kind that its client makes. */
  <T> CompletableFuture<T> promise() {
    return kind.newIncompleteFuture();
  }

  /** A claim, as long as anybody else knows it: an owner may lock many things in its life. */
  private static final class ClaimReference extends WeakReference<Claim> {
    private final Bytes key;

    ClaimReference(Bytes key, Claim claim, ReferenceQueue<Claim> unused) {
      super(claim, unused);
      this.key = key;
    }
  }

  /**
   * What this owner has to do with a line: the same for all who ask, as long as one of them, or a
   * place in the line, keeps it.
   */
  Claim claim(Bytes key, Supplier<Claim> absent) {
    synchronized (lock) {
      while (unusedClaims.poll() instanceof ClaimReference unused) {
        claims.remove(unused.key, unused);
      }
      ClaimReference known = claims.get(key);
      Claim present = known == null ? null : known.get();
      if (present == null) {
        present = absent.get();
        claims.put(key, new ClaimReference(key, present, unusedClaims));
      }
      return present;
    }
  }

  /**
   * Has the dependent told when the owner is over, lost or closed, or at once if it is.
   *
   * @param dependent is told once, does not block, and calls nobody else's code
   */
  void addDependent(Consumer<String> dependent) {
    String why;
    synchronized (lock) {
      why = over;
      if (why == null) {
        dependents.add(dependent);
        return;
      }
    }
    dependent.accept(why);
  }

  void removeDependent(Consumer<String> dependent) {
    synchronized (lock) {
      dependents.remove(dependent);
    }
  }

  private void lose(String why) {
    if (!finish(why)) {
      return;
    }
    LOG.info("lease {} of an owner is lost: {}", Long.toHexString(id), why);
    ports.tell(() -> lost.complete(why));
    // The keys would go by themselves; those who wait for them need not wait so long.
    var unused = ports.client().leases().revoke(id);
  }

  /** Whether it was not over yet. */
  private boolean finish(String why) {
    List<Consumer<String>> told;
    synchronized (lock) {
      if (over != null) {
        return false;
      }
      over = why;
      told = new ArrayList<>(dependents);
      dependents.clear();
    }
    told.forEach(dependent -> dependent.accept(why));
    return true;
  }

  /**
   * Gives up everything at once, and revokes the lease: whatever hung on it is deleted, and whoever
   * waits for it gets it.
   *
   * @return completes when the lease certainly does not exist; fails when that is not known, and it
   *     ends by itself
   */
  public CompletableFuture<Void> end() {
    KeptLease present = kept;
    if (present != null) {
      present.close();
    }
    finish("the owner was closed");
    CompletableFuture<Void> ended = promise();
    var unused =
        ports
            .client()
            .leases()
            .revoke(id)
            .whenComplete((revoked, failure) -> ports.tell(() -> tellEnded(ended, failure)));
    return ended;
  }

  private static void tellEnded(CompletableFuture<Void> ended, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : Failures.cause(failure);
    if (cause == null || Failures.isLeaseGone(cause)) {
      ended.complete(null);
    } else {
      ended.completeExceptionally(cause);
    }
  }

  /** As {@link #end}, without waiting. Closing twice is allowed. */
  @Override
  public void close() {
    var unused = end();
  }
}
