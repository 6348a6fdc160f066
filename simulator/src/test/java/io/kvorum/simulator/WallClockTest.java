package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.PutOptions;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nothing that Kvorum promises rests on the time of day, which somebody may set (FAULTS F094). */
@ExtendWith(QuietNodes.class)
class WallClockTest {
  private static final Bytes HELD = Bytes.utf8("held");
  private static final Duration TTL = Duration.ofSeconds(10);
  private static final Duration HOUR = Duration.ofHours(1);

  @ParameterizedTest(name = "{index}: leader {0} h, followers {1} h")
  @CsvSource({"1, 0", "-1, 0", "0, 1", "0, -1", "1, -1", "-1, 1"})
  void anHourEitherWayEndsNoLeaseAndElectsNobody(int leaderHours, int followerHours) {
    try (SimCluster cluster = SimCluster.start(77, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      String leader = cluster.awaitLeader();
      long lease = kv.leases().grant(TTL).id();
      kv.put(HELD, HELD, PutOptions.DEFAULT.withLease(lease));
      for (String node : cluster.nodes()) {
        int hours = node.equals(leader) ? leaderHours : followerHours;
        cluster.faults().jumpWallClock(node, HOUR.multipliedBy(hours));
      }

      Duration end = cluster.now().plus(TTL).minusSeconds(1);
      for (int i = 0; cluster.now().compareTo(end) < 0; i++) {
        // A client that is served by a new leader would have waited for its election.
        Duration asked = cluster.now();
        kv.put(Bytes.utf8("load"), Bytes.utf8("put " + i));
        assertThat(cluster.now().minus(asked)).isLessThan(Duration.ofMillis(500));
        assertThat(cluster.leader()).contains(leader);
        cluster.run(Duration.ofMillis(20));
      }
      assertThat(kv.get(HELD).keyValue()).isPresent();

      // And the lease ends in its time, not an hour later.
      cluster.run(TTL);
      assertThat(kv.get(HELD).keyValue()).isEmpty();
      assertThat(cluster.leader()).contains(leader);
    }
  }
}
