package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.client.cache.CacheMetrics;
import io.kvorum.client.cache.CacheOptions;
import io.kvorum.client.cache.CachedRead;
import io.kvorum.client.cache.CachedView;
import io.kvorum.client.cache.PointCache;
import io.kvorum.client.cache.ViewSnapshot;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Views and caches on whole clusters, in quiet and in storms. */
@ExtendWith(QuietNodes.class)
class CachesTest {
  private static final KeyRange RANGE = KeyRange.prefix(CacheTrial.PREFIX);
  private static final Bytes KEY = Bytes.utf8("p/key");
  private static final Bytes VALUE = Bytes.utf8("value");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static CacheOptions options(SimCluster cluster) {
    return CacheOptions.DEFAULT.withClock(CacheTrial.clock(cluster));
  }

  @KvSim(
      seeds = 6,
      storm = {Storm.KILL, Storm.PARTITION, Storm.PAUSE, Storm.CLIENT_NETWORK, Storm.LEADER_CHANGE},
      stormMillis = 8_000)
  void whatCachesSayIsTrueWhateverHappens(SimCluster cluster) {
    CacheTrial trial = new CacheTrial(cluster, 1 << 20);
    trial.runFor(Duration.ofSeconds(9));
    trial.end();
    assertThat(trial.proven()).allMatch(proven -> proven > 20);
  }

  /** Room for about two keys: whatever is read was given up a moment ago. */
  @KvSim(seeds = 2, storm = Storm.LEADER_CHANGE, stormMillis = 3_000)
  void aCacheWithoutRoomSaysTheTruthToo(SimCluster cluster) {
    CacheTrial trial = new CacheTrial(cluster, 400);
    trial.runFor(Duration.ofSeconds(4));
    trial.end();
    assertThat(trial.cache().metrics().evictions()).isPositive();
    assertThat(trial.cache().metrics().weightBytes()).isLessThanOrEqualTo(400);
  }

  @KvSim(seeds = 3)
  void whatCompactionHasOvertakenBeginsAnew(SimCluster cluster) {
    CacheTrial trial = new CacheTrial(cluster, 1 << 20);
    cluster.after(SECOND, () -> cluster.faults().partition(List.of("reader"), cluster.nodes()));
    cluster.after(SECOND.multipliedBy(4), () -> cluster.faults().heal());
    trial.runFor(Duration.ofSeconds(7));
    trial.end();
    assertThat(trial.view().metrics().listings()).isGreaterThan(1);
    assertThat(trial.cache().metrics().listings()).isGreaterThan(1);
  }

  @Test
  void aViewAnswersFromMemoryAndKnowsOwnWrites() {
    try (SimCluster cluster = SimCluster.start(21, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      kv.put(KEY, VALUE);
      CachedView view = CachedView.open(cluster.client("reader"), RANGE, options(cluster));
      assertThatThrownBy(view::now).isInstanceOf(KvException.Unavailable.class);
      cluster.await(view.ready());
      ViewSnapshot before = view.now();
      assertThat(before.get(KEY).map(KeyValue::value)).contains(VALUE);

      long own = kv.put(Bytes.utf8("p/other"), VALUE).header().revision();
      assertThat(cluster.await(view.awaitRevision(own)).keyValues()).hasSize(2);
      assertThat(before.keyValues()).hasSize(1);
      long elsewhere = kv.put(Bytes.utf8("q"), VALUE).header().revision();
      assertThat(cluster.await(view.linearizable()).revision()).isEqualTo(elsewhere);
      assertThat(view.now().keyValues(KeyRange.single(KEY))).containsOnlyKeys(KEY);
      assertThatThrownBy(() -> view.get(Bytes.utf8("q")))
          .isInstanceOf(IllegalArgumentException.class);
      CacheMetrics metrics = view.metrics();
      assertThat(metrics.keys()).isEqualTo(2);
      assertThat(metrics.weightBytes()).isEqualTo(5 + 5 + 7 + 5);
      assertThat(metrics.revision()).isEqualTo(elsewhere);
      assertThat(metrics.revisionsBehind()).isZero();

      view.close();
      assertThatThrownBy(view::now).hasMessageContaining("is closed");
      assertThat(view.awaitRevision(own)).isCompletedExceptionally();
    }
  }

  @Test
  void whoIsCutOffAnswersAndSaysHowOldThatIs() {
    try (SimCluster cluster = SimCluster.start(22, 3)) {
      KvClient writer = cluster.client("writer");
      writer.blocking().put(KEY, VALUE);
      KvClient reader = cluster.client("reader");
      CachedView view = CachedView.open(reader, RANGE, options(cluster));
      PointCache cache = PointCache.open(reader, RANGE, options(cluster));
      assertThat(cluster.await(cache.get(KEY)).value()).contains(VALUE);
      cluster.run(Duration.ofMinutes(1));
      assertThat(view.age()).isLessThan(Duration.ofSeconds(7));
      assertThat(cache.age()).isLessThan(Duration.ofSeconds(7));

      cluster.faults().partition(List.of("reader"), cluster.nodes());
      long missed = writer.blocking().put(KEY, Bytes.utf8("new")).header().revision();
      CompletableFuture<?> fresh = view.linearizable();
      CompletableFuture<?> own = view.awaitRevision(missed);
      cluster.run(Duration.ofMinutes(1));
      assertThat(view.now().age()).isGreaterThan(Duration.ofMinutes(1));
      assertThat(view.get(KEY).map(KeyValue::value)).contains(VALUE);
      assertThat(view.metrics().revisionsBehind()).isEqualTo(1);
      CachedRead old = cluster.await(cache.get(KEY));
      assertThat(old.value()).contains(VALUE);
      assertThat(old.revision()).isLessThan(missed);
      assertThat(old.age()).isGreaterThan(Duration.ofMinutes(1));
      assertUnavailable(cluster, fresh);
      assertUnavailable(cluster, own);
      assertUnavailable(cluster, cache.get(Bytes.utf8("p/unknown")));

      cluster.faults().heal();
      cluster.run(Duration.ofSeconds(10));
      assertThat(view.get(KEY).map(KeyValue::value)).contains(Bytes.utf8("new"));
      assertThat(view.age()).isLessThan(Duration.ofSeconds(7));
      assertThat(cluster.await(cache.get(KEY)).value()).contains(Bytes.utf8("new"));
    }
  }

  private static void assertUnavailable(SimCluster cluster, CompletableFuture<?> read) {
    assertThatThrownBy(() -> cluster.await(read))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(KvException.Unavailable.class);
  }

  @Test
  void aCacheAsksForAKeyOnceAndForItsChangesNever() {
    try (SimCluster cluster = SimCluster.start(23, 3)) {
      BlockingKvClient kv = cluster.client().blocking();
      PointCache cache = PointCache.open(cluster.client("reader"), RANGE, options(cluster));
      assertThat(cluster.await(cache.get(KEY)).value()).isEmpty();
      long created = kv.put(KEY, VALUE).header().revision();
      cluster.await(cache.awaitRevision(created));
      assertThat(cache.get(KEY).join().value()).contains(VALUE);
      long deleted = kv.delete(KEY).header().revision();
      cluster.await(cache.awaitRevision(deleted));
      assertThat(cache.get(KEY).join().value()).isEmpty();
      assertThat(cluster.await(cache.linearizable(KEY)).value()).isEmpty();
      assertThat(cache.metrics().misses()).isEqualTo(1);
      assertThat(cache.metrics().hits()).isEqualTo(3);
      assertThat(cache.metrics().keys()).isEqualTo(1);
      cache.close();
      assertUnavailable(cluster, cache.get(KEY));
    }
  }

  @Test
  void theEndOfTheClientIsTheEndOfItsCaches() {
    try (SimCluster cluster = SimCluster.start(24, 3)) {
      KvClient reader = cluster.client("reader");
      CachedView view = CachedView.open(reader, RANGE, options(cluster));
      PointCache cache = PointCache.open(reader, RANGE, options(cluster));
      cluster.await(view.ready());
      CompletableFuture<?> waiting = view.awaitRevision(1_000);
      reader.close();
      cluster.run(SECOND);
      assertThatThrownBy(view::now).hasMessageContaining("its client was closed");
      assertUnavailable(cluster, waiting);
      assertUnavailable(cluster, cache.get(KEY));
    }
  }
}
