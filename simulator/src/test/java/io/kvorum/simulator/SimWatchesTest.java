package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(QuietNodes.class)
class SimWatchesTest {
  private static final int CLIENTS = 8;
  private static final int WATCHES = 25;
  private static final int PUTS = 20;
  private static final KeyRange HOT = KeyRange.prefix(Bytes.utf8("hot/"));

  /**
   * F162: every watch looks at one hot prefix, and each member ends once, then all of them, so that
   * all watches come back together. Writes go on at once, nobody who still lives loses the
   * leadership by it, and each watch hears each event once.
   */
  @Test
  void whenAllWatchesComeBackTogetherWritesGoOn() {
    try (SimCluster cluster = SimCluster.start(31, 3)) {
      List<List<Long>> heard = watchAll(cluster);
      BlockingKvClient kv = cluster.client("writer").blocking();
      int written = put(cluster, kv, 0);
      for (String node : cluster.nodes()) {
        boolean led = cluster.awaitLeader().equals(node);
        String leader = cluster.awaitLeader();
        cluster.faults().kill(node);
        cluster.awaitLeader();
        written = put(cluster, kv, written);
        cluster.faults().restart(node);
        written = put(cluster, kv, written);
        assertThat(led || cluster.awaitLeader().equals(leader)).as("led by %s", leader).isTrue();
      }
      cluster.nodes().forEach(cluster.faults()::kill);
      cluster.nodes().forEach(cluster.faults()::restart);
      cluster.awaitLeader();
      written = put(cluster, kv, written);
      int all = written;
      cluster.runUntil(
          () -> heard.stream().allMatch(each -> each.size() >= all), Duration.ofMinutes(1));
      for (List<Long> each : heard) {
        assertThat(each).hasSize(all).isEqualTo(List.copyOf(new TreeSet<>(each)));
      }
    }
  }

  private static List<List<Long>> watchAll(SimCluster cluster) {
    List<List<Long>> heard = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      for (int i = 0; i < WATCHES; i++) {
        List<Long> revisions = new ArrayList<>();
        heard.add(revisions);
        Watch watch =
            cluster
                .client("client-" + client)
                .watch(
                    HOT,
                    WatchOptions.DEFAULT.withFromRevision(1),
                    told -> told.events().forEach(event -> revisions.add(event.revision())));
        cluster.await(watch.started());
      }
    }
    return heard;
  }

  /** Puts some more; each is answered in a time that no election fits into. */
  private static int put(SimCluster cluster, BlockingKvClient kv, int from) {
    // The first one after a change finds the leader.
    kv.put(Bytes.utf8("hot/first"), Bytes.utf8("v" + from));
    for (int i = 1; i < PUTS; i++) {
      Duration before = cluster.now();
      kv.put(Bytes.utf8("hot/" + i % 7), Bytes.utf8("v" + i));
      assertThat(cluster.now().minus(before))
          .as("put %d", from + i)
          .isLessThan(Duration.ofMillis(300));
    }
    return from + PUTS;
  }
}
