package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(QuietNodes.class)
class SimClusterTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final Bytes VALUE = Bytes.utf8("value");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static List<String> others(SimCluster cluster, String one) {
    List<String> others = new ArrayList<>(cluster.nodes());
    others.remove(one);
    return others;
  }

  @Test
  void aBlockingCallMovesVirtualTimeOn() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      Duration before = cluster.now();

      assertThat(kv.put(KEY, VALUE).header().revision()).isEqualTo(2);
      assertThat(cluster.now()).isBetween(before.plusNanos(100_000), before.plus(SECOND));
      assertThat(cluster.client("other").blocking().get(KEY).value()).contains(VALUE);
    }
  }

  @Test
  void timeStandsStillWhileNobodyWaits() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      Duration before = cluster.now();
      CompletableFuture<?> put = cluster.client().put(KEY, VALUE);

      assertThat(put).isNotDone();
      assertThat(cluster.now()).isEqualTo(before);
      cluster.run(SECOND);
      assertThat(put).isDone();
      assertThat(cluster.now()).isEqualTo(before.plus(SECOND));
    }
  }

  @Test
  void tasksRunAtTheirTimeAndWhatTheyThrowReachesWhoeverWaits() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      List<Duration> ran = new ArrayList<>();
      Duration before = cluster.now();
      cluster.after(SECOND.multipliedBy(2), () -> ran.add(cluster.now()));
      cluster.after(SECOND, () -> ran.add(cluster.now()));
      cluster.runUntil(() -> ran.size() == 2, MINUTE);
      assertThat(ran).containsExactly(before.plus(SECOND), before.plus(SECOND.multipliedBy(2)));

      cluster.after(
          SECOND,
          () -> {
            throw new AssertionError("of the task");
          });
      assertThatThrownBy(() -> cluster.run(MINUTE)).hasMessage("of the task");
      assertThatThrownBy(() -> cluster.runUntil(() -> false, SECOND))
          .hasMessage("what was waited for has not happened within PT1S");
    }
  }

  @Test
  void futuresThatKnowNothingOfTheSimulationCanBeAwaited() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      List<CompletableFuture<?>> puts = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        puts.add(cluster.client("c" + i % 3).put(Bytes.utf8("k" + i), VALUE));
      }
      cluster.await(CompletableFuture.allOf(puts.toArray(CompletableFuture<?>[]::new)));

      assertThat(cluster.client().blocking().range(KeyRange.all()).count()).isEqualTo(20);
      CompletableFuture<?> refused = cluster.client().put(Bytes.utf8(""), VALUE);
      assertThatThrownBy(() -> cluster.await(refused))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(KvException.Rejected.class);
    }
  }

  @Test
  void oneSeedIsOneRun() {
    assertThat(hashOf(7)).isEqualTo(hashOf(7)).isNotEqualTo(hashOf(8));
  }

  private static String hashOf(long seed) {
    try (SimCluster cluster = SimCluster.start(seed, 3)) {
      cluster.faults().storm(Duration.ofSeconds(5), Storm.values());
      callFor(cluster, Duration.ofSeconds(6));
      return cluster.traceHash();
    }
  }

  /** Three clients call, one call after another each, whatever comes of them. */
  private static void callFor(SimCluster cluster, Duration duration) {
    for (int i = 0; i < 3; i++) {
      callAgain(cluster, cluster.client("c" + i), new SplittableRandom(cluster.seed() + i));
    }
    cluster.run(duration);
  }

  private static void callAgain(SimCluster cluster, KvClient kv, SplittableRandom random) {
    Bytes key = Bytes.utf8("k" + random.nextInt(3));
    CompletableFuture<?> call =
        switch (random.nextInt(6)) {
          case 0, 1 -> kv.put(key, Bytes.utf8("v" + random.nextInt(5)));
          case 2 -> kv.get(key);
          case 3 -> kv.range(KeyRange.all());
          case 4 -> kv.delete(key);
          default -> kv.get(key, GetOptions.DEFAULT.withRevision(1));
        };
    long pause = random.nextLong(50_000_000);
    var unused =
        call.whenComplete(
            (result, failure) ->
                cluster.after(Duration.ofNanos(pause), () -> callAgain(cluster, kv, random)));
  }

  @Test
  void everyStormEndsHealedAndKeepsAllPromises() {
    Seeds.of(SimClusterTest.class)
        .fresh(10)
        .forEach(
            seed -> {
              SimCluster.Options options = SimCluster.Options.of(seed).withRecovery();
              try (SimCluster cluster = SimCluster.start(options)) {
                cluster.faults().storm(Duration.ofSeconds(5), Storm.values());
                callFor(cluster, Duration.ofSeconds(6));
                assertThat(cluster.nodes()).allMatch(cluster::isUp);
              }
            });
  }

  @Test
  void whatWasPutOutlivesLeadersThatAreKilledOrLosePower() {
    try (SimCluster cluster = SimCluster.start(3, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      kv.put(KEY, VALUE);
      String first = cluster.awaitLeader();
      cluster.faults().kill(first);
      assertThat(cluster.isUp(first)).isFalse();
      assertThat(kv.get(KEY).value()).contains(VALUE);

      String second = cluster.awaitLeader();
      assertThat(second).isNotEqualTo(first);
      cluster.faults().restart(first);
      cluster.faults().losePower(second);
      assertThat(kv.get(KEY).value()).contains(VALUE);
    }
  }

  @Test
  void aWriteToALeaderThatIsCutOffTakesEffectOnceAtTheNextOne() {
    try (SimCluster cluster = SimCluster.start(4, 3)) {
      KvClient kv = cluster.client();
      kv.blocking().put(KEY, VALUE);
      cluster.faults().isolate(cluster.awaitLeader());

      kv.blocking().put(KEY, Bytes.utf8("other"));
      cluster.faults().heal();
      KeyValue found = kv.blocking().get(KEY).keyValue().orElseThrow();
      assertThat(found.value()).isEqualTo(Bytes.utf8("other"));
      assertThat(found.version()).isEqualTo(2);
    }
  }

  @Test
  void aWriteThatReachesNoMajorityInTimeHasAnUnknownOutcome() {
    try (SimCluster cluster = SimCluster.start(4, 3)) {
      KvClient kv = cluster.client("here");
      kv.blocking().put(KEY, VALUE);
      String leader = cluster.awaitLeader();
      cluster.faults().partition(List.of(leader, "here"), others(cluster, leader));

      assertThatThrownBy(() -> kv.blocking().put(KEY, Bytes.utf8("other")))
          .isInstanceOf(KvException.OutcomeUnknown.class);
      cluster.faults().heal();
      assertThat(kv.blocking().get(KEY).value()).isPresent();
    }
  }

  @Test
  void withoutAnyNodeACallIsCertainlyNotExecuted() {
    try (SimCluster cluster = SimCluster.start(5, 3)) {
      cluster.nodes().forEach(cluster.faults()::kill);
      assertThatThrownBy(() -> cluster.client().blocking().put(KEY, VALUE))
          .isInstanceOf(KvException.Unavailable.class);
      cluster.faults().healAll();
      assertThat(cluster.client().blocking().get(KEY).value()).isEmpty();
    }
  }

  /** The one level of consistency that needs no majority, nor a leader. */
  @Test
  void whatMayBeStaleIsReadFromTheOneThatIsLeft() {
    try (SimCluster cluster = SimCluster.start(12, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      kv.put(KEY, VALUE);
      cluster.run(SECOND);
      String left = others(cluster, cluster.awaitLeader()).get(0);
      others(cluster, left).forEach(cluster.faults()::losePower);
      cluster.run(SECOND.multipliedBy(10));
      GetOptions stale = GetOptions.DEFAULT.withConsistency(ReadConsistency.STALE);
      RangeOptions staleRange = RangeOptions.DEFAULT.withConsistency(ReadConsistency.STALE);
      TxnOptions staleTxn = TxnOptions.DEFAULT.withConsistency(ReadConsistency.STALE);
      assertThat(kv.get(KEY, stale).value()).contains(VALUE);
      assertThat(kv.range(KeyRange.all(), staleRange).count()).isEqualTo(1);
      assertThat(kv.txn(Txn.of(Op.get(KEY)), staleTxn).results()).hasSize(1);
      assertThatThrownBy(() -> kv.get(KEY)).isInstanceOf(KvException.Unavailable.class);

      // What it had not written down is gone until somebody leads; it answers all the same.
      cluster.faults().kill(left);
      cluster.faults().restart(left);
      assertThat(kv.get(KEY, stale).header().revision()).isBetween(1L, 2L);
    }
  }

  @Test
  void aPartitionMayHaveClientsOnBothSides() {
    try (SimCluster cluster = SimCluster.start(6, 3)) {
      KvClient with = cluster.client("with the majority");
      KvClient without = cluster.client("without");
      String leader = cluster.awaitLeader();
      List<String> majority = new ArrayList<>(others(cluster, leader));
      majority.add("with the majority");
      cluster.faults().partition(majority, List.of(leader, "without"));

      CompletableFuture<?> lost = without.put(Bytes.utf8("a"), VALUE);
      assertThat(with.blocking().put(KEY, VALUE).header().revision()).isEqualTo(2);
      assertThatThrownBy(lost::join).hasCauseInstanceOf(KvException.class);
      cluster.faults().heal();
      assertThat(without.blocking().get(KEY).value()).contains(VALUE);
    }
  }

  @Test
  void theLeadershipMoves() {
    try (SimCluster cluster = SimCluster.start(7, 3)) {
      String target = others(cluster, cluster.awaitLeader()).get(0);
      cluster.client().blocking().put(KEY, VALUE);
      cluster.faults().transferLeadership(target);
      cluster.runUntil(() -> cluster.leader().equals(Optional.of(target)), SECOND);
    }
  }

  @Test
  void aNodeOnAFullDiskWaitsForSpaceAndGoesOn() {
    try (SimCluster cluster = SimCluster.start(8, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      String node = others(cluster, cluster.awaitLeader()).get(0);
      cluster.faults().fillDisk(node);
      Bytes value = Bytes.utf8("");
      for (int i = 0; i < 20; i++) {
        value = Bytes.utf8(i + "x".repeat(200_000));
        kv.put(KEY, value);
      }
      assertThat(cluster.isUp(node)).isTrue();

      cluster.faults().freeDisk(node);
      cluster.faults().kill(cluster.awaitLeader());
      assertThat(kv.get(KEY).value()).contains(value);
    }
  }

  @Test
  void clocksPausesAndSlowDisksHaveTheirEffect() {
    try (SimCluster cluster = SimCluster.start(9, 3)) {
      KvClient kv = cluster.client();
      kv.blocking().put(KEY, VALUE);
      String leader = cluster.awaitLeader();
      cluster.nodes().forEach(node -> cluster.faults().slowDisk(node, SECOND));
      Duration before = cluster.now();
      kv.blocking().put(KEY, VALUE);
      assertThat(cluster.now().minus(before)).isGreaterThan(Duration.ofMillis(50));
      cluster.nodes().forEach(node -> cluster.faults().slowDisk(node, Duration.ZERO));

      cluster.faults().driftClock(leader, 20_000);
      cluster.faults().jumpWallClock(leader, MINUTE.negated());
      cluster.faults().jumpClock(leader, SECOND.multipliedBy(5));
      cluster.faults().pause(leader, SECOND.multipliedBy(3));
      cluster.runUntil(() -> !cluster.leader().equals(Optional.of(leader)), SECOND.multipliedBy(3));
      assertThatThrownBy(() -> cluster.faults().jumpClock(leader, SECOND.negated()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void transactionsThatCannotBeFollowedAreExecutedAndEndTheJudgement() {
    try (SimCluster cluster = SimCluster.start(3, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      Bytes key = Bytes.utf8("k");
      Txn create =
          Txn.when(Compare.version(key).isEqualTo(0)).then(Op.put(key, key)).otherwise(Op.get(key));
      assertThat(kv.txn(create).succeeded()).isTrue();
      assertThat(kv.txn(create).succeeded()).isFalse();
      assertThat(kv.txn(Txn.of(Op.range(KeyRange.all()))).results()).hasSize(1);
      assertThat(kv.txn(Txn.of(Op.deleteRange(KeyRange.all()))).succeeded()).isTrue();
      assertThat(kv.get(key).value()).isEmpty();
      kv.put(key, key);
      assertThat(kv.txn(Txn.of(Op.append(key, key))).succeeded()).isTrue();
      assertThat(kv.get(key).value()).contains(Bytes.utf8("kk"));
    }
  }

  @Test
  void largeValuesAndPartsOfRangesWorkAsInAnyCluster() {
    try (SimCluster cluster = SimCluster.start(10, 1)) {
      BlockingKvClient kv = cluster.client().blocking();
      Bytes large = Bytes.utf8("x".repeat(250_000));
      kv.put(KEY, large);
      kv.put(Bytes.utf8("other"), VALUE);
      assertThat(kv.get(KEY).value()).contains(large);
      assertThat(kv.range(KeyRange.all(), RangeOptions.DEFAULT.withLimit(1)).more()).isTrue();
      assertThat(kv.range(KeyRange.all(), RangeOptions.DEFAULT.withKeysOnly()).count())
          .isEqualTo(2);
      assertThatThrownBy(() -> kv.put(KEY, Bytes.utf8("x".repeat(256 << 10))))
          .isInstanceOf(KvException.Rejected.class);
    }
  }

  /** A promise that the second answer to a client breaks, and the end, too. */
  private static final class Broken implements Checker {
    private int answers;

    @Override
    public String name() {
      return "Broken";
    }

    @Override
    public void on(SimEvent event) {
      if (event instanceof SimEvent.Returned && ++answers == 2) {
        throw new Violation(name(), "the second answer");
      }
    }

    @Override
    public void atEnd() {
      throw new Violation(name(), "the end after " + answers);
    }
  }

  @Test
  void aBrokenPromiseReachesWhoeverWaitsOnce() {
    SimCluster cluster = SimCluster.start(SimCluster.Options.of(13), List.of(new Broken()));
    BlockingKvClient kv = cluster.client().blocking();
    kv.put(KEY, VALUE);

    assertThatThrownBy(() -> kv.put(KEY, VALUE))
        .isInstanceOf(Violation.class)
        .hasMessage("the second answer");
    cluster.close();
  }

  @Test
  void aPromiseThatTheRunAsAWholeBreaksIsToldAtItsEnd() {
    SimCluster cluster = SimCluster.start(SimCluster.Options.of(14), List.of(new Broken()));
    cluster.client().blocking().put(KEY, VALUE);

    assertThatThrownBy(cluster::close).isInstanceOf(Violation.class).hasMessage("the end after 1");
  }

  @Test
  void wrongNamesAreRefusedWithTheRightOnes() {
    try (SimCluster cluster = SimCluster.start(11, 2)) {
      assertThatThrownBy(() -> cluster.faults().kill("n3"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("n3 is none of [n1, n2]");
      assertThatThrownBy(() -> cluster.client("n1")).hasMessage("n1 is a node");
    }
  }

  @Test
  void afterTheEndNothingOfTheTestRuns() {
    List<String> ran = new ArrayList<>();
    SimCluster cluster = SimCluster.start(SimCluster.Options.of(12).withRecovery());
    cluster.after(SECOND, () -> ran.add("task"));
    CompletableFuture<?> open = cluster.client().put(KEY, VALUE);
    cluster.close();
    cluster.close();

    assertThat(open).isCompleted();
    assertThat(ran).isEmpty();
    assertThatThrownBy(() -> cluster.run(SECOND)).hasMessageContaining("closed");
  }
}
