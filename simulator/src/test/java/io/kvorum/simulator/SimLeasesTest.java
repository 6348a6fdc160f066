package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeptLease;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.PutOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Leases and compaction in a simulated cluster, as a test of a service meets them. */
@ExtendWith(QuietNodes.class)
class SimLeasesTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final Bytes VALUE = Bytes.utf8("value");
  private static final Duration TTL = Duration.ofSeconds(5);

  private static void put(BlockingKvClient kv, long lease) {
    kv.leases().grant(TTL, lease);
    kv.put(KEY, VALUE, PutOptions.DEFAULT.withLease(lease));
  }

  @Test
  void aKeptLeaseOutlivesLeadersAndIsLostOnceWhenItEnds() {
    try (SimCluster cluster = SimCluster.start(11, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      List<String> lost = new ArrayList<>();
      put(kv, 7);
      KeptLease kept = cluster.client().leases().keepAlive(7, (id, why) -> lost.add(why));
      for (int i = 0; i < 4; i++) {
        String leader = cluster.awaitLeader();
        cluster.faults().kill(leader);
        cluster.run(Duration.ofSeconds(4));
        cluster.faults().restart(leader);
        assertThat(kv.get(KEY).value()).contains(VALUE);
      }
      assertThat(kept.isAlive()).isTrue();
      assertThat(lost).isEmpty();
      cluster.faults().expireLease(7);
      cluster.run(TTL);
      assertThat(kv.get(KEY).value()).isEmpty();
      assertThat(kept.isAlive()).isFalse();
      assertThat(lost).hasSize(1);
    }
  }

  /** F132: nobody answers, and the holder knows in time. */
  @Test
  void aHolderThatIsCutOffCountsItsLeaseAsLostBeforeItEnds() {
    try (SimCluster cluster = SimCluster.start(12, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      List<String> lost = new ArrayList<>();
      put(kv, 7);
      KeptLease kept = cluster.client().leases().keepAlive(7, (id, why) -> lost.add(why));
      cluster.run(Duration.ofSeconds(3));
      cluster.faults().partition(cluster.clients(), cluster.nodes());
      cluster.run(TTL);
      assertThat(kept.isAlive()).isFalse();
      assertThat(lost).hasSize(1);
      cluster.faults().heal();
      cluster.run(TTL);
      assertThat(kv.get(KEY).value()).isEmpty();
      assertThat(lost).hasSize(1);
    }
  }

  /** F132: one client with many leases; each is renewed in time, over changes of the leader. */
  @Test
  void aThousandLeasesOfOneClientAreAllKeptThroughChangesOfTheLeader() {
    try (SimCluster cluster = SimCluster.start(14, 3)) {
      KvClient client = cluster.client();
      List<String> lost = new ArrayList<>();
      List<CompletableFuture<LeaseGrant>> grants = new ArrayList<>();
      for (long id = 1; id <= 1_000; id++) {
        grants.add(client.leases().grant(TTL, id));
      }
      cluster.await(CompletableFuture.allOf(grants.toArray(new CompletableFuture<?>[0])));
      List<KeptLease> kept = new ArrayList<>();
      for (long id = 1; id <= 1_000; id++) {
        kept.add(client.leases().keepAlive(id, (lease, why) -> lost.add(lease + " " + why)));
      }
      for (int i = 0; i < 2; i++) {
        String leader = cluster.awaitLeader();
        cluster.faults().kill(leader);
        cluster.run(Duration.ofSeconds(8));
        cluster.faults().restart(leader);
      }
      assertThat(lost).isEmpty();
      assertThat(kept).allMatch(KeptLease::isAlive);
      assertThat(client.blocking().leases().list().ids()).hasSize(1_000);
      // Nobody answers for longer than they live: each is told once, and none is renewed later.
      cluster.faults().partition(cluster.clients(), cluster.nodes());
      cluster.run(TTL.multipliedBy(2));
      assertThat(lost).hasSize(1_000).doesNotHaveDuplicates();
      assertThat(kept).noneMatch(KeptLease::isAlive);
      cluster.faults().heal();
      cluster.run(TTL);
      assertThat(lost).hasSize(1_000);
      assertThat(client.blocking().leases().list().ids()).isEmpty();
    }
  }

  /** F127: a renewal that succeeded was of a lease that existed, and lives for its time again. */
  @Test
  void aRenewalThatRacesWithTheEndOfItsLeaseTellsTheTruth() {
    int renewed = 0;
    int late = 0;
    for (int seed = 0; seed < 40; seed++) {
      try (SimCluster cluster = SimCluster.start(100 + seed, 3)) {
        BlockingKvClient kv = cluster.client().blocking();
        put(kv, 7);
        // Somewhere in here the leader ends it.
        cluster.run(TTL.plusMillis(seed * 25L));
        if (kv.leases().renew(7).isAlive()) {
          renewed++;
          cluster.run(TTL.multipliedBy(9).dividedBy(10));
          assertThat(kv.get(KEY).value()).as("seed %d", cluster.seed()).contains(VALUE);
        } else {
          late++;
          assertThat(kv.get(KEY).value()).as("seed %d", cluster.seed()).isEmpty();
        }
      }
    }
    assertThat(renewed).as("renewals in time").isPositive();
    assertThat(late).as("renewals too late").isPositive();
  }

  /** F111: two thousand leases end at once, while the leadership is lost, and the node closes. */
  @Test
  void whenThousandsOfLeasesEndTheLeaderMayChangeAndEverythingGoesOn() {
    try (SimCluster cluster = SimCluster.start(15, 3)) {
      KvClient client = cluster.client();
      List<CompletableFuture<?>> grants = new ArrayList<>();
      for (long id = 1; id <= 2_000; id++) {
        grants.add(client.leases().grant(TTL, id));
      }
      cluster.await(CompletableFuture.allOf(grants.toArray(new CompletableFuture<?>[0])));
      client.blocking().put(KEY, VALUE, PutOptions.DEFAULT.withLease(2_000));
      cluster.run(TTL);
      for (int i = 0; i < 3; i++) {
        String leader = cluster.awaitLeader();
        cluster.faults().kill(leader);
        cluster.awaitLeader();
        client.blocking().leases().grant(Duration.ofMinutes(1));
        cluster.faults().restart(leader);
      }
      for (int seconds = 0; leases(cluster) > 3; seconds += 5) {
        assertThat(seconds).as("seconds after the last change of the leader").isLessThan(60);
        cluster.run(Duration.ofSeconds(5));
      }
      assertThat(client.blocking().get(KEY).value()).isEmpty();
    }
  }

  private static int leases(SimCluster cluster) {
    return cluster.client().blocking().leases().list().ids().size();
  }

  @Test
  void whatIsCompactedIsRefused() {
    try (SimCluster cluster = SimCluster.start(13, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      kv.put(KEY, VALUE);
      kv.put(KEY, Bytes.utf8("2"));
      kv.put(KEY, Bytes.utf8("3"));
      cluster.faults().compactHistory(3);
      cluster.run(Duration.ofSeconds(1));
      assertThatThrownBy(() -> kv.get(KEY, GetOptions.DEFAULT.withRevision(2)))
          .isInstanceOf(KvException.Compacted.class);
      assertThat(kv.get(KEY, GetOptions.DEFAULT.withRevision(3)).value()).contains(Bytes.utf8("2"));
    }
  }
}
