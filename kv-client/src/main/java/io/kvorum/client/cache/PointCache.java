package io.kvorum.client.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.kvorum.api.Bytes;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/**
 * Local copies of single keys, as many as may be: those that are asked for, kept by how often and
 * how lately that was.
 *
 * <p>A hit is answered from memory, and is sequentially consistent with every other answer: the
 * cache as a whole stands at one revision, to which the watch of its range has brought it, and each
 * answer is what its key holds as of that revision. A miss reads the key from the cluster. The
 * revision of that answer, r, is usually ahead of the cache; then the cache first has to come to r,
 * and what its watch tells of the key meanwhile is counted in. Only then does the caller get the
 * value, and only then is it kept. So no value is served that is older than the watch's progress,
 * and what a caller sees never goes back.
 *
 * <p>Why a kept value is right: it was read at r, and the watch has delivered, or will deliver,
 * every change behind r, to the value or to the read that is under way. What it delivers of changes
 * up to r is in the value already. A watch that compaction has overtaken has missed some, so all
 * that was kept is given up, and a read under way that is older than the gap is made again.
 *
 * <p>Every change in the range travels to the cache. Where far more changes than is read, ask the
 * cluster instead.
 *
 * <p>Thread-safe. Futures complete as those of {@link CachedView} do.
 */
public final class PointCache implements AutoCloseable {
  /** What an entry costs besides its bytes. */
  private static final int ENTRY_BYTES = 160;

  /** What a key holds; nothing, if it does not exist. */
  private record Held(@Nullable KeyValue keyValue) {}

  /** A key that is being read; all guarded by the lock. */
  private static final class Load {
    final CompletableFuture<CachedRead> future;

    /** What the key holds as of {@link #asOf}, and every event since. */
    Held held = new Held(null);

    /** 0: neither the answer nor an event has come. */
    long asOf;

    /** An answer from before this revision would miss events that compaction has removed. */
    long validFrom;

    Load(CompletableFuture<CachedRead> future) {
      this.future = future;
    }
  }

  private final KvClient client;
  private final KeyRange range;
  private final Freshness freshness;
  private final Cache<Bytes, Held> held;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder listings = new LongAdder();
  private final CompletableFuture<Long> opened = new CompletableFuture<>();

  /** Held for writing while revisions are put in, so that a reader sees whole ones. */
  private final StampedLock lock = new StampedLock();

  private final Map<Bytes, Load> loads = new HashMap<>();

  /** Up to here everything is in {@link #held} and {@link #loads}. */
  private long revision;

  /** Held while a watch begins. */
  private final Object watching = new Object();

  private volatile @Nullable Watch watch;
  private volatile boolean isClosed;

  private PointCache(KvClient client, KeyRange range, CacheOptions options) {
    this.client = client;
    this.range = range;
    this.freshness = new Freshness("the cache of " + range, options, this::askProgress);
    this.held =
        Caffeine.newBuilder()
            .maximumWeight(options.weightBytesMax())
            .weigher(PointCache::weight)
            // On the calling thread: what is left to do after a read is little, and so nothing
            // happens that the caller's thread does not decide.
            .executor(Runnable::run)
            .evictionListener((key, value, cause) -> evictions.increment())
            .build();
  }

  private static int weight(Bytes key, Held value) {
    KeyValue held = value.keyValue;
    return ENTRY_BYTES + key.size() + (held == null ? 0 : held.value().size());
  }

  /** Opens a cache with {@link CacheOptions#DEFAULT}. */
  public static PointCache open(KvClient client, KeyRange range) {
    return open(client, range, CacheOptions.DEFAULT);
  }

  /**
   * Begins to watch the range; does not wait.
   *
   * @param range of the keys that may be asked for
   * @param client which the cache uses and does not close
   */
  public static PointCache open(KvClient client, KeyRange range, CacheOptions options) {
    PointCache cache = new PointCache(client, range, options);
    cache.watchFrom(0);
    return cache;
  }

  /** Watches; 0: from what the answering member takes for now. */
  private void watchFrom(long first) {
    listings.increment();
    WatchOptions how = WatchOptions.DEFAULT.withProgress().withFromRevision(first);
    Watch begun;
    synchronized (watching) {
      // Should it end at once, its end waits here, so that the newest watch is the one we know.
      begun = client.watch(range, how, new Listener());
      watch = begun;
    }
    if (isClosed) {
      begun.close();
      return;
    }
    var unused = begun.started().thenAccept(this::started);
  }

  /** What is read from now on is not older than what the watch begins with. */
  private void started(long first) {
    advance(first - 1, List.of());
    opened.complete(first);
  }

  private void askProgress() {
    Watch open = watch;
    if (open != null) {
      open.requestProgress();
    }
  }

  /**
   * What the key holds as of the revision at which the cache stands. Completes at once if the key
   * is known. Fails as the client's reads do; with {@link KvException.Unavailable} also if the
   * cache does not come to the revision of what was read in time, or has ended.
   *
   * @throws IllegalArgumentException if the key is outside the range of the cache
   */
  public CompletableFuture<CachedRead> get(Bytes key) {
    if (!range.contains(key)) {
      throw new IllegalArgumentException(key + " is outside of what the cache watches: " + range);
    }
    KvException over = freshness.failure();
    if (over != null) {
      return CompletableFuture.failedFuture(over);
    }
    CachedRead known = known(key);
    if (known != null) {
      hits.increment();
      return CompletableFuture.completedFuture(known);
    }
    misses.increment();
    return load(key);
  }

  private @Nullable CachedRead known(Bytes key) {
    Duration age = freshness.age();
    long stamp = lock.tryOptimisticRead();
    Held found = held.getIfPresent(key);
    long asOf = revision;
    if (!lock.validate(stamp)) {
      stamp = lock.readLock();
      try {
        found = held.getIfPresent(key);
        asOf = revision;
      } finally {
        lock.unlockRead(stamp);
      }
    }
    return found == null ? null : new CachedRead(Optional.ofNullable(found.keyValue), asOf, age);
  }

  /** Joins the read of the key that is under way, or begins one. */
  private CompletableFuture<CachedRead> load(Bytes key) {
    Load load;
    boolean isNew;
    long stamp = lock.writeLock();
    try {
      Load present = loads.get(key);
      isNew = present == null;
      load = present == null ? new Load(new CompletableFuture<>()) : present;
      loads.put(key, load);
    } finally {
      lock.unlockWrite(stamp);
    }
    if (isNew) {
      // Before the watch has begun, nobody would tell what changes behind the answer.
      var unused =
          opened.whenComplete(
              (first, over) -> {
                if (over == null) {
                  ask(key, load);
                } else {
                  fail(key, load, over);
                }
              });
    }
    return load.future.copy();
  }

  private void ask(Bytes key, Load load) {
    var unused =
        client
            .get(key)
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    answered(key, load, answer);
                  } else {
                    fail(key, load, failure);
                  }
                });
  }

  private void answered(Bytes key, Load load, GetResult answer) {
    long readAt = answer.header().revision();
    boolean isTooOld;
    long stamp = lock.writeLock();
    try {
      isTooOld = readAt < load.validFrom;
      if (!isTooOld && readAt > load.asOf) {
        load.held = new Held(answer.keyValue().orElse(null));
        load.asOf = readAt;
      }
    } finally {
      lock.unlockWrite(stamp);
    }
    if (isTooOld) {
      ask(key, load);
      return;
    }
    var unused =
        freshness
            .await(readAt)
            .whenComplete(
                (known, late) -> {
                  if (late == null) {
                    finish(key, load, readAt);
                  } else {
                    fail(key, load, late);
                  }
                });
  }

  /** The cache stands where the key was read, or further: what was read is right now. */
  private void finish(Bytes key, Load load, long readAt) {
    CachedRead read = null;
    Duration age = freshness.age();
    long stamp = lock.writeLock();
    try {
      if (readAt >= load.validFrom) {
        loads.remove(key, load);
        held.put(key, load.held);
        read = new CachedRead(Optional.ofNullable(load.held.keyValue), revision, age);
      }
    } finally {
      lock.unlockWrite(stamp);
    }
    if (read == null) {
      ask(key, load);
    } else {
      load.future.complete(read);
    }
  }

  private void fail(Bytes key, Load load, Throwable failure) {
    long stamp = lock.writeLock();
    try {
      loads.remove(key, load);
    } finally {
      lock.unlockWrite(stamp);
    }
    load.future.completeExceptionally(failure);
  }

  /** Puts whole revisions in. */
  private void advance(long upTo, List<WatchEvent> events) {
    long stamp = lock.writeLock();
    try {
      for (WatchEvent event : events) {
        happened(event);
      }
      revision = Math.max(revision, upTo);
    } finally {
      lock.unlockWrite(stamp);
    }
    freshness.heard(upTo);
  }

  private void happened(WatchEvent event) {
    Bytes key = event.keyValue().key();
    Held now = new Held(event.type() == WatchEvent.Type.PUT ? event.keyValue() : null);
    // The value is here already, and whoever asks for a key asks for its new value.
    held.asMap().computeIfPresent(key, (same, before) -> now);
    Load load = loads.get(key);
    if (load != null && event.revision() > load.asOf) {
      load.held = now;
      load.asOf = event.revision();
    }
  }

  /** Events before this revision are lost. */
  private void startOver(long from) {
    long stamp = lock.writeLock();
    try {
      held.invalidateAll();
      revision = Math.max(revision, from - 1);
      loads.values().forEach(load -> load.validFrom = revision);
    } finally {
      lock.unlockWrite(stamp);
    }
    watchFrom(from);
  }

  /** As {@link CachedView#awaitRevision}; completes with the revision at which the cache stands. */
  public CompletableFuture<Long> awaitRevision(long wanted) {
    return freshness.await(wanted);
  }

  /**
   * What the key holds, with all that was acknowledged before this call. The cluster is asked for
   * its newest revision, which moves no data, and for the key only if it is not known.
   *
   * @throws IllegalArgumentException if the key is outside the range of the cache
   */
  public CompletableFuture<CachedRead> linearizable(Bytes key) {
    if (!range.contains(key)) {
      throw new IllegalArgumentException(key + " is outside of what the cache watches: " + range);
    }
    CompletableFuture<Long> confirmed = freshness.confirm(client);
    CompletableFuture<CachedRead> read = confirmed.newIncompleteFuture();
    var unused =
        confirmed.whenComplete(
            (known, failure) -> {
              if (failure == null) {
                Freshness.pass(get(key), read);
              } else {
                read.completeExceptionally(failure);
              }
            });
    return read;
  }

  /** How long ago the cluster was heard; some seconds while nothing changes. */
  public Duration age() {
    return freshness.age();
  }

  /** What the cache has done, and where it is. */
  public CacheMetrics metrics() {
    long weight = held.policy().eviction().map(bound -> bound.weightedSize().orElse(0)).orElse(0L);
    return new CacheMetrics(
        hits.sum(),
        misses.sum(),
        evictions.sum(),
        listings.sum(),
        held.estimatedSize(),
        weight,
        freshness.revision(),
        freshness.behind(),
        freshness.age());
  }

  /** Ends the watch; from now on reads fail. Closing twice is allowed. */
  @Override
  public void close() {
    isClosed = true;
    end(new KvException.Unavailable("the cache of " + range + " is closed"));
    Watch open = watch;
    if (open != null) {
      open.close();
    }
  }

  private void end(KvException why) {
    freshness.fail(why);
    opened.completeExceptionally(why);
    held.invalidateAll();
  }

  /** Brings the cache on. Called for one thing at a time. */
  private final class Listener implements WatchListener {
    @Override
    public void events(WatchEvents events) {
      advance(events.revision(), events.events());
    }

    @Override
    public void progress(long upTo) {
      advance(upTo, List.of());
    }

    @Override
    public void ended(WatchEnd how) {
      if (how instanceof WatchEnd.Compacted compacted && !isClosed) {
        startOver(compacted.compactRevision());
      } else {
        end(Ends.reason("the cache of " + range, how));
      }
    }
  }

  /** For messages. */
  @Override
  public String toString() {
    return "cache of " + range + " at revision " + freshness.revision();
  }
}
