package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeptLease;
import io.kvorum.api.KvException;
import io.kvorum.api.PutOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
