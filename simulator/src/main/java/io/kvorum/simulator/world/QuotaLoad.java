package io.kvorum.simulator.world;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.SpaceUse;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.HistoryNews;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * An operator who gives the store a quota close to what it uses, in some runs: so writes of
 * everybody else are refused for lack of room now and then, until they delete, history is
 * compacted, or the quota is raised.
 */
final class QuotaLoad {
  private static final long MILLI_NANOS = 1_000_000;

  /** He is as impatient as everybody: a leader that goes wrong must not hold a call for long. */
  private static final AdminOptions SOON = AdminOptions.DEFAULT.withTimeout(Duration.ofSeconds(5));

  private static final Bytes ANY_KEY = Bytes.utf8("k");

  private final World world;
  private final SplittableRandom random;
  private final boolean isBusy;
  private final long thinkMillisMax;
  private boolean over;
  private boolean isLifted;

  QuotaLoad(World world) {
    this.world = world;
    this.random = world.streams().of("quota");
    this.isBusy = world.options().tuning().quotas();
    this.thinkMillisMax = 100L << random.nextInt(5);
  }

  /** Whether somebody's failed call was refused for lack of room, as it may be in this run. */
  boolean explains(Throwable cause) {
    return isBusy
        && cause instanceof KvException.Rejected rejected
        && rejected.reason() == KvException.Reason.SPACE_EXCEEDED;
  }

  void begin(List<SimClient> clients) {
    if (isBusy) {
      think(clients.get(random.nextInt(clients.size())));
    }
  }

  /** No quota is set any more. */
  void end() {
    over = true;
  }

  /** Takes the quota away for good, as often as it needs. */
  void lift(SimClient probe) {
    if (isBusy) {
      call(probe.client().space(SOON), found -> lift(probe, found), () -> lift(probe));
    }
  }

  /** If none was ever set, perhaps none can be: a member that is down may not know them. */
  private void lift(SimClient probe, SpaceUse found) {
    if (found.quotaBytes() == 0) {
      isLifted = true;
    } else {
      call(probe.client().setQuota(0, SOON), set -> lift(probe), () -> lift(probe));
    }
  }

  /** Whether nothing is refused any more. */
  boolean isLifted() {
    return isLifted || !isBusy;
  }

  private void think(SimClient client) {
    long nanos = (1 + random.nextLong(thinkMillisMax)) * MILLI_NANOS;
    world.time().after(nanos, () -> act(client));
  }

  private void act(SimClient client) {
    if (over) {
      return;
    }
    int kind = random.nextInt(8);
    if (kind < 4) {
      call(client.client().space(SOON), space -> limit(client, space), () -> think(client));
    } else if (kind < 6) {
      call(
          client.client().get(ANY_KEY),
          found -> compact(client, found.header().revision()),
          () -> think(client));
    } else {
      set(client, 0);
    }
  }

  /** A little more, or less, than is used. */
  private void limit(SimClient client, SpaceUse space) {
    long percent = 90 + random.nextLong(30);
    set(client, Math.max(1, space.usedBytes() * percent / 100));
  }

  private void set(SimClient client, long bytes) {
    call(client.client().setQuota(bytes, SOON), set -> think(client), () -> think(client));
  }

  private void compact(SimClient client, long revision) {
    long now = world.journal().now();
    world.journal().tell(new SimEvent.HistoryTold(now, HistoryNews.COMPACTING, revision, 0));
    Consumer<Object> then = done -> think(client);
    call(client.client().compact(revision), then, () -> think(client));
  }

  private <T> void call(CompletableFuture<T> call, Consumer<? super T> done, Runnable otherwise) {
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
              if (!(cause instanceof KvException)) {
                world.journal().violated("NoClientFails", Texts.of(cause));
              }
              otherwise.run();
            });
  }
}
