package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.Leases;
import io.kvorum.api.PutOptions;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.LeaseNews;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * Holders of leases: each is granted one, renews it when it likes, in time or not, hangs keys on
 * it, and revokes it or lets it go. Their keys are beside those of the {@link Workload}.
 */
final class LeaseLoad {
  private static final int HOLDERS_MAX = 3;
  private static final int TTL_MILLIS_MIN = 2_000;
  private static final int TTL_MILLIS_MORE = 3_000;
  private static final int LATE_MILLIS_MAX = 120;
  private static final long MILLI_NANOS = 1_000_000;

  private final World world;
  private final SplittableRandom random;
  private final int holders;
  private boolean begun;
  private boolean over;

  LeaseLoad(World world) {
    this.world = world;
    this.random = world.streams().of("leases");
    this.holders = random.nextBoolean() ? 0 : 1 + random.nextInt(HOLDERS_MAX);
  }

  /** Whether there are holders in this run: then the store changes beside the workload. */
  boolean isBusy() {
    return holders > 0;
  }

  /** The holders begin. */
  void begin(List<SimClient> clients) {
    begun = true;
    for (int i = 0; i < holders; i++) {
      new Holder(clients.get(i % clients.size()), i, random.split()).think(1_000);
    }
  }

  /** No holder calls again. */
  void end() {
    over = true;
  }

  /** Whether all leases of the run were its holders': then nobody renews any more. */
  boolean isEnded() {
    return begun && over;
  }

  /** Below no key of the workload. */
  private static Bytes key(int holder) {
    return Bytes.utf8("~lease-" + holder);
  }

  /** One process that wants to have a lease. */
  private final class Holder {
    private final SimClient client;
    private final int number;
    private final SplittableRandom random;
    private final long ttlMillis;
    private long lease;
    private long knownNanos;
    private int written;

    Holder(SimClient client, int number, SplittableRandom random) {
      this.client = client;
      this.number = number;
      this.random = random;
      this.ttlMillis = TTL_MILLIS_MIN + (long) random.nextInt(TTL_MILLIS_MORE);
    }

    void think(long millisMax) {
      long nanos = (1 + random.nextLong(millisMax)) * MILLI_NANOS;
      world.time().after(nanos, this::act);
    }

    private Leases leases() {
      return client.client().leases();
    }

    private void act() {
      if (over) {
        return;
      }
      if (lease == 0) {
        grant();
        return;
      }
      int kind = random.nextInt(20);
      if (kind < 10) {
        renew(ttlMillis / 2);
      } else if (kind < 12) {
        // At about the time at which it ends.
        renewLate();
      } else if (kind < 15) {
        status();
      } else if (kind < 18) {
        put();
      } else {
        revoke();
      }
    }

    private void grant() {
      // Often the same id again: what was meant for the old one must not meet the new one.
      long wanted = random.nextInt(3) == 0 ? 0 : 1 + number;
      long called = world.journal().now();
      call(
          leases().grant(Duration.ofMillis(ttlMillis), wanted),
          granted -> {
            lease = granted.id();
            told(LeaseNews.GRANT_ANSWERED, called, granted.ttl());
            put();
          },
          ttlMillis / 4);
    }

    private void renew(long thenMillisMax) {
      long called = world.journal().now();
      call(
          leases().renew(lease),
          renewal -> {
            if (renewal.isAlive()) {
              told(LeaseNews.RENEWAL_ANSWERED, called, renewal.ttl());
            } else {
              lease = 0;
            }
            think(thenMillisMax);
          },
          100);
    }

    private void renewLate() {
      // A leader gives it a little more than its time, and looks every now and then.
      long endNanos = knownNanos + ttlMillis * MILLI_NANOS / 1000 * 1025;
      long atNanos = endNanos + random.nextLong(LATE_MILLIS_MAX * MILLI_NANOS);
      world
          .time()
          .after(
              Math.max(0, atNanos - world.time().nowNanos()),
              () -> {
                if (!over) {
                  renew(ttlMillis / 2);
                }
              });
    }

    private void status() {
      long called = world.journal().now();
      call(
          leases().status(lease, random.nextBoolean()),
          status -> {
            if (status.exists()) {
              told(LeaseNews.REMAINING_ANSWERED, called, status.remaining());
            } else {
              lease = 0;
            }
            think(ttlMillis / 2);
          },
          100);
    }

    private void put() {
      boolean hangs = random.nextInt(4) != 0;
      PutOptions how = hangs ? PutOptions.DEFAULT.withLease(lease) : PutOptions.DEFAULT;
      Bytes key = key(random.nextBoolean() ? number : HOLDERS_MAX);
      call(
          client.client().put(key, Bytes.utf8("h" + number + "-" + written++), how),
          put -> think(ttlMillis / 2),
          100);
    }

    private void revoke() {
      long revoked = lease;
      call(
          leases().revoke(revoked),
          revocation -> {
            lease = 0;
            think(50);
          },
          100);
    }

    private void told(LeaseNews news, long called, Duration time) {
      long now = world.journal().now();
      knownNanos = news == LeaseNews.REMAINING_ANSWERED ? knownNanos : now;
      world.journal().tell(new SimEvent.LeaseTold(now, news, lease, called, time.toMillis()));
    }

    /** Whatever it ends with, the holder goes on; what it wanted is gone when it is rejected. */
    private <T> void call(CompletableFuture<T> call, Consumer<T> done, long retryMillis) {
      world.workload().callBegins();
      var unused =
          call.whenComplete(
              (result, failure) -> {
                world.workload().callEnds();
                if (failure == null) {
                  done.accept(result);
                  return;
                }
                Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                if (cause instanceof KvException.Rejected) {
                  lease = 0;
                } else if (!(cause instanceof KvException)) {
                  world.journal().violated("NoClientFails", Texts.of(cause));
                }
                think(retryMillis);
              });
    }
  }
}
