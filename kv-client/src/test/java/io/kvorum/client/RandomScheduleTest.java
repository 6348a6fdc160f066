package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.protocol.Error;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Everything that can go wrong, at random times, and then the three promises: every future ends
 * exactly once; what it says of a write is true of what the servers did; nothing stays behind.
 *
 * <p>A seed decides everything. {@code -Dkvorum.seed=N} runs that one alone.
 */
class RandomScheduleTest {
  private static final int SEEDS = 300;

  @Test
  void everyFutureEndsOnceAndTellsTheTruth() {
    Long only = Long.getLong("kvorum.seed");
    long first = only == null ? 1 : only;
    long last = only == null ? SEEDS : only;
    int[] ends = new int[4];
    for (long seed = first; seed <= last; seed++) {
      try {
        new Run(seed).run(ends);
      } catch (RuntimeException | AssertionError failed) {
        throw new AssertionError(
            "replay with -Dtest=RandomScheduleTest -Dkvorum.seed=" + seed, failed);
      }
    }
    if (only == null) {
      // The schedules are worth something only if they reach every end, each many times.
      assertThat(ends[0]).as("successes").isGreaterThan(SEEDS);
      assertThat(ends[1]).as("unavailable").isGreaterThan(SEEDS);
      assertThat(ends[2]).as("unknown outcomes").isGreaterThan(SEEDS);
      assertThat(ends[3]).as("overloads").isGreaterThan(SEEDS / 10);
    }
  }

  /** One schedule. */
  private static final class Run {
    private final Random random;
    private final FakeCluster cluster = new FakeCluster();
    private final boolean hasSession;
    private final RemoteKvClient client;
    private final Map<String, CompletableFuture<?>> writes = new LinkedHashMap<>();
    private final List<CompletableFuture<?>> others = new ArrayList<>();
    private final Map<CompletableFuture<?>, Integer> timesEnded = new LinkedHashMap<>();

    Run(long seed) {
      random = new Random(seed);
      cluster.network.latencyNanos = () -> 50_000 + random.nextInt(3_000_000);
      hasSession = random.nextBoolean();
      client =
          cluster.client(
              cluster
                  .config()
                  .random(new Random(seed))
                  .requestTimeout(Duration.ofMillis(200 + random.nextInt(2_000)))
                  .silence(Duration.ofMillis(100 + random.nextInt(500)))
                  .connectTimeout(Duration.ofMillis(50 + random.nextInt(500)))
                  .sessionTtl(hasSession ? Duration.ofSeconds(2) : Duration.ZERO)
                  .inflightMax(4 + random.nextInt(40)));
    }

    void run(int[] ends) {
      int steps = 50 + random.nextInt(150);
      for (int step = 0; step < steps; step++) {
        int calls = random.nextInt(4);
        for (int i = 0; i < calls; i++) {
          call();
        }
        disturb(cluster.nodes.get(random.nextInt(3)));
        cluster.loop.runFor(Duration.ofNanos(random.nextInt(20_000_000)));
      }
      heal();
      assertEndsAreTrue(ends);
      if (hasSession) {
        assertInOrder();
      }
      assertWorksAgain();
      boolean closeUnderLoad = random.nextBoolean();
      if (closeUnderLoad) {
        call();
        call();
      }
      client.close();
      assertThat(client.inflightCalls()).isZero();
      assertThat(client.inflightBytes()).isZero();
      assertThat(timesEnded.values()).allMatch(times -> times == 1);
      assertThat(timesEnded).hasSize(writes.size() + others.size());
    }

    private void call() {
      if (random.nextInt(3) > 0) {
        String value = "v" + writes.size();
        writes.put(value, watched(client.put(FakeCluster.KEY, Bytes.utf8(value))));
      } else if (random.nextInt(8) > 0) {
        others.add(watched(client.get(FakeCluster.KEY)));
      } else {
        others.add(watched(client.status(Endpoint.parse(cluster.n2.endpoint))));
      }
    }

    private CompletableFuture<?> watched(CompletableFuture<?> future) {
      var unused = future.whenComplete((ok, failed) -> timesEnded.merge(future, 1, Integer::sum));
      return future;
    }

    private void disturb(FakeNode node) {
      switch (random.nextInt(17)) {
        case 0 -> node.kill();
        case 1 -> node.reach = FakeNode.Reach.UNREACHABLE;
        case 2, 3 -> node.reach = FakeNode.Reach.UP;
        case 4 -> node.stopped = true;
        case 5, 6 -> node.resume();
        case 7 -> node.cutConnections();
        case 8 -> node.swallowsAnswers = !node.swallowsAnswers;
        case 9 -> cluster.lead(node);
        case 10 -> node.leader = cluster.nodes.get(random.nextInt(3));
        case 11 -> node.leader = null;
        case 12 -> node.takesMore = false;
        case 13 -> node.takeMore();
        case 14 -> cluster.store.sessions.clear();
        case 15 -> node.knowsLeaderEndpoint = !node.knowsLeaderEndpoint;
        default -> node.refusals.add(error());
      }
    }

    private Error error() {
      Error.Kind kind = random.nextBoolean() ? Error.Kind.UNAVAILABLE : Error.Kind.OUTCOME_UNKNOWN;
      return Error.newBuilder()
          .setKind(kind)
          .setReason(Error.Reason.forNumber(random.nextInt(6)))
          .setRetryAfterMillis(random.nextInt(50))
          .setMessage("a random refusal")
          .build();
    }

    private void heal() {
      for (FakeNode node : cluster.nodes) {
        node.refusals.clear();
        node.reach = FakeNode.Reach.UP;
        node.swallowsAnswers = false;
        node.knowsLeaderEndpoint = true;
        node.resume();
        node.takeMore();
      }
      cluster.lead(cluster.nodes.get(random.nextInt(3)));
      cluster.runMillis(5_000);
    }

    /** FAULTS F110. Who does not know what has become of a call sends no later one elsewhere. */
    private void assertInOrder() {
      List<Integer> numbers =
          cluster.store.order.stream()
              .map(value -> value.toUtf8().substring(1))
              .map(Integer::valueOf)
              .toList();
      assertThat(numbers).as("in the order of submission").isSorted();
    }

    private void assertEndsAreTrue(int[] ends) {
      writes.forEach(
          (value, future) -> {
            assertThat(future).as(value).isDone();
            int executed = cluster.executions(value);
            assertThat(executed).as("executions of %s", value).isLessThanOrEqualTo(1);
            Throwable failed = future.handle((ok, failure) -> failure).join();
            if (failed == null) {
              assertThat(executed).as("%s succeeded", value).isEqualTo(1);
              ends[0]++;
            } else if (failed instanceof KvException.Unavailable) {
              assertThat(executed).as("%s: %s", value, failed).isZero();
              ends[failed instanceof KvException.Overloaded ? 3 : 1]++;
            } else {
              assertThat(failed).isInstanceOf(KvException.OutcomeUnknown.class);
              ends[2]++;
            }
          });
      for (CompletableFuture<?> other : others) {
        assertThat(other).isDone();
        Throwable failed = other.handle((ok, failure) -> failure).join();
        if (failed != null) {
          assertThat(failed).as("a read").isInstanceOf(KvException.Unavailable.class);
        }
      }
      assertThat(client.inflightCalls()).isZero();
      assertThat(client.inflightBytes()).isZero();
    }

    private void assertWorksAgain() {
      CompletableFuture<?> put = watched(client.put(FakeCluster.KEY, Bytes.utf8("healed")));
      others.add(put);
      cluster.await(put);
      assertThat(cluster.network.connections()).hasSizeLessThanOrEqualTo(3);
    }
  }
}
