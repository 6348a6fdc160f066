package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.client.cache.CacheClock;
import io.kvorum.client.cache.CacheOptions;
import io.kvorum.client.cache.CachedRead;
import io.kvorum.client.cache.CachedView;
import io.kvorum.client.cache.PointCache;
import io.kvorum.client.cache.ViewSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Writers change keys, history is compacted behind them, and a reader of its own asks a view and a
 * cache of these keys. All that it sees is compared with what was acknowledged, at the end.
 */
final class CacheTrial {
  static final Bytes PREFIX = Bytes.utf8("p/");

  /** Always put together, with one value. */
  private static final Bytes LEFT = Bytes.utf8("p/left");

  private static final Bytes RIGHT = Bytes.utf8("p/right");
  private static final List<Bytes> KEYS =
      List.of(LEFT, RIGHT, Bytes.utf8("p/0"), Bytes.utf8("p/1"), Bytes.utf8("p/2"));
  private static final List<Bytes> SINGLE_KEYS = KEYS.subList(2, KEYS.size());

  /** A key as of a revision. */
  private record Seen(Bytes key, Optional<KeyValue> held, long revision) {}

  private final SimCluster cluster;
  private final SplittableRandom random;
  private final CachedView view;
  private final PointCache cache;

  /** For each key, what acknowledged writes have made of it; nothing: deleted. */
  private final Map<Bytes, TreeMap<Long, Optional<Bytes>>> acknowledged = new HashMap<>();

  private final Set<Bytes> maybeDeleted = new HashSet<>();
  private long newestAcknowledged;
  private long values;
  private boolean isOver;

  private final List<Seen> seen = new ArrayList<>();
  private final List<Long> viewRevisions = new ArrayList<>();
  private final List<Long> cacheRevisions = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private int fresh;
  private int ownWrites;

  CacheTrial(SimCluster cluster, long weightBytesMax) {
    this.cluster = cluster;
    this.random = new SplittableRandom(cluster.seed());
    CacheOptions options =
        CacheOptions.DEFAULT.withClock(clock(cluster)).withWeightBytesMax(weightBytesMax);
    KvClient reader = cluster.client("reader");
    this.view = CachedView.open(reader, KeyRange.prefix(PREFIX), options);
    this.cache = PointCache.open(reader, KeyRange.prefix(PREFIX), options);
    KEYS.forEach(key -> acknowledged.put(key, new TreeMap<>()));
  }

  static CacheClock clock(SimCluster cluster) {
    return CacheClock.of(() -> cluster.now().toNanos(), cluster::after);
  }

  CachedView view() {
    return view;
  }

  PointCache cache() {
    return cache;
  }

  /** How many reads were proven fresh, and how many of own writes. */
  List<Integer> proven() {
    return List.of(fresh, ownWrites);
  }

  /** Writes, reads and compacts for so long. */
  void runFor(Duration duration) {
    write(cluster.client("writer one"));
    write(cluster.client("writer two"));
    look();
    readFresh();
    compact();
    cluster.run(duration);
  }

  /** Writes no more, comes to rest, and judges. */
  void end() {
    isOver = true;
    cluster.faults().healAll();
    cluster.run(Duration.ofSeconds(20));
    ViewSnapshot last = cluster.await(view.linearizable());
    List<KeyValue> truth =
        cluster.await(cluster.client("judge").range(KeyRange.prefix(PREFIX))).keyValues();
    assertThat(List.copyOf(last.keyValues().values())).isEqualTo(truth);
    for (Bytes key : KEYS) {
      assertThat(cluster.await(cache.linearizable(key)).keyValue()).isEqualTo(last.get(key));
    }
    assertThat(wrong).isEmpty();
    assertThat(viewRevisions).isSorted();
    assertThat(cacheRevisions).isSorted();
    seen.forEach(this::judge);
  }

  private void judge(Seen one) {
    Map.Entry<Long, Optional<Bytes>> last = acknowledged.get(one.key()).floorEntry(one.revision());
    if (one.held().isPresent()) {
      long madeAt = one.held().get().modRevision();
      assertThat(madeAt).as("%s", one).isLessThanOrEqualTo(one.revision());
      if (last != null) {
        assertThat(madeAt).as("%s after %s", one, last).isGreaterThanOrEqualTo(last.getKey());
      }
      Optional<Bytes> written = acknowledged.get(one.key()).get(madeAt);
      if (written != null) {
        assertThat(one.held().map(KeyValue::value)).as("%s", one).isEqualTo(written);
      }
    } else if (last != null && last.getValue().isPresent()) {
      assertThat(maybeDeleted).as("%s after %s", one, last).contains(one.key());
    }
  }

  private void write(KvClient kv) {
    if (isOver) {
      return;
    }
    Bytes value = Bytes.utf8("v" + values++);
    Bytes key = SINGLE_KEYS.get(random.nextInt(SINGLE_KEYS.size()));
    int kind = random.nextInt(8);
    CompletableFuture<?> done;
    if (kind < 4) {
      done = pair(kv, value);
    } else if (kind < 7) {
      done = told(kv.put(key, value), put -> put.header().revision(), value, key);
    } else {
      done = delete(kv, key);
    }
    long pause = random.nextLong(20_000_000);
    var unused =
        done.whenComplete(
            (result, failure) -> cluster.after(Duration.ofNanos(pause), () -> write(kv)));
  }

  private CompletableFuture<?> pair(KvClient kv, Bytes value) {
    Txn both = Txn.of(Op.put(LEFT, value), Op.put(RIGHT, value));
    return told(kv.txn(both), txn -> txn.header().revision(), value, LEFT, RIGHT);
  }

  private CompletableFuture<?> delete(KvClient kv, Bytes key) {
    return kv.delete(key)
        .whenComplete(
            (deleted, failure) -> {
              if (failure != null) {
                maybeDeleted.add(key);
                return;
              }
              long revision = deleted.header().revision();
              acknowledged.get(key).putIfAbsent(revision, Optional.empty());
              acknowledged(revision);
            });
  }

  private <T> CompletableFuture<?> told(
      CompletableFuture<T> written, ToLongFunction<T> revision, Bytes value, Bytes... keys) {
    return written.thenAccept(
        result -> {
          long at = revision.applyAsLong(result);
          for (Bytes key : keys) {
            acknowledged.get(key).put(at, Optional.of(value));
          }
          acknowledged(at);
          expect(view.awaitRevision(at), snapshot -> snapshot.revision() >= at, "own write");
          var unused = view.awaitRevision(at).thenAccept(snapshot -> ownWrites++);
        });
  }

  private void acknowledged(long revision) {
    newestAcknowledged = Math.max(newestAcknowledged, revision);
  }

  private void look() {
    if (isOver) {
      return;
    }
    try {
      saw(view.now());
    } catch (KvException.Unavailable notYet) {
      assertThat(notYet).hasMessageContaining("has not read its range yet");
    }
    Bytes key = KEYS.get(random.nextInt(KEYS.size()));
    var unused = cache.get(key).thenAccept(read -> saw(key, read));
    cluster.after(Duration.ofMillis(5), this::look);
  }

  private void saw(ViewSnapshot snapshot) {
    viewRevisions.add(snapshot.revision());
    KEYS.forEach(key -> seen.add(new Seen(key, snapshot.get(key), snapshot.revision())));
    Optional<Long> left = snapshot.get(LEFT).map(KeyValue::modRevision);
    if (!left.equals(snapshot.get(RIGHT).map(KeyValue::modRevision))) {
      wrong.add("half a revision at " + snapshot.revision());
    }
  }

  private void saw(Bytes key, CachedRead read) {
    cacheRevisions.add(read.revision());
    seen.add(new Seen(key, read.keyValue(), read.revision()));
  }

  private void readFresh() {
    if (isOver) {
      return;
    }
    long before = newestAcknowledged;
    Bytes key = KEYS.get(random.nextInt(KEYS.size()));
    expect(view.linearizable(), snapshot -> snapshot.revision() >= before, "view");
    expect(cache.linearizable(key), read -> read.revision() >= before, "cache");
    var unused = view.linearizable().thenAccept(snapshot -> fresh++);
    cluster.after(Duration.ofMillis(37), this::readFresh);
  }

  private <T> void expect(CompletableFuture<T> read, Function<T, Boolean> isFresh, String what) {
    var unused =
        read.whenComplete(
            (found, failure) -> {
              if (failure == null && !isFresh.apply(found)) {
                wrong.add(what + " is not fresh: " + found);
              } else if (failure != null && !(failure instanceof KvException.Unavailable)) {
                wrong.add(what + " failed: " + failure);
              }
            });
  }

  private void compact() {
    if (isOver) {
      return;
    }
    if (newestAcknowledged > 0) {
      var unused = cluster.client("writer one").compact(newestAcknowledged);
    }
    cluster.after(Duration.ofMillis(700), this::compact);
  }
}
