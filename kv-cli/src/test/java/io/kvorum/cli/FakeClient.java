package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.CompactOptions;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.IdempotencyKey;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Leases;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store of this JVM behind the client's interface: every revision is a whole map. Answers at
 * once, on the caller's thread, unless {@link #failPuts} says otherwise. Thread-safe.
 */
public final class FakeClient implements KvClient {
  /** What the server would refuse. */
  static final int KEY_BYTES_MAX = 4096;

  /** A small page, so that tests read several. */
  static final int PAGE_KEYS_MAX = 7;

  private final List<NavigableMap<Bytes, KeyValue>> revisions =
      new ArrayList<>(List.of(new TreeMap<>()));
  private Function<Bytes, Optional<KvException>> putFailure = key -> Optional.empty();
  private CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);
  private final Set<Bytes> underWay = new HashSet<>();
  private boolean overlapped;
  private boolean failedPutsTakeEffect;
  private final FakeLeases leases =
      new FakeLeases(
          id ->
              present().values().stream()
                  .filter(kv -> kv.lease() == id)
                  .map(KeyValue::key)
                  .toList());
  private String lastCompaction = "";
  private Optional<IdempotencyKey> lastIdempotencyKey = Optional.empty();
  private int puts;
  private boolean closed;
  private Optional<WatchEnd> watchEnd = Optional.empty();

  /** From now on, a put of a key for which the function gives a failure fails with it. */
  public synchronized void failPuts(
      boolean takeEffect, Function<Bytes, Optional<KvException>> failure) {
    failedPutsTakeEffect = takeEffect;
    putFailure = failure;
  }

  /** From now on, puts take effect and are answered only once the gate is complete. */
  public synchronized void holdPutsUntil(CompletableFuture<Void> open) {
    gate = open;
  }

  /** Whether two puts of one key were ever under way at once. */
  public synchronized boolean overlapped() {
    return overlapped;
  }

  /** How many puts were called. */
  public synchronized int puts() {
    return puts;
  }

  /** Takes the store's present state, which the caller may change behind its back. */
  public synchronized NavigableMap<Bytes, KeyValue> present() {
    return revisions.get(revisions.size() - 1);
  }

  /** Key and value of everything there is, in order. */
  public synchronized List<String> content() {
    return present().values().stream().map(kv -> kv.key() + "=" + kv.value()).toList();
  }

  /** The last compaction that was asked for, in words. */
  synchronized String lastCompaction() {
    return lastCompaction;
  }

  /** That of the last put. */
  synchronized Optional<IdempotencyKey> lastIdempotencyKey() {
    return lastIdempotencyKey;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    overlapped |= !underWay.add(key);
    lastIdempotencyKey = options.idempotencyKey();
    return gate.thenCompose(open -> putNow(key, value, options));
  }

  private CompletableFuture<PutResult> putNow(Bytes key, Bytes value, PutOptions options) {
    return answer(
        () -> {
          puts++;
          underWay.remove(key);
          checkKey(key);
          Optional<KvException> failure = putFailure.apply(key);
          if (failure.isPresent() && !failedPutsTakeEffect) {
            throw failure.get();
          }
          TreeMap<Bytes, KeyValue> next = new TreeMap<>(present());
          KeyValue before = next.get(key);
          long revision = revisions.size();
          long created = before == null ? revision : before.createRevision();
          long version = before == null ? 1 : before.version() + 1;
          next.put(key, new KeyValue(key, value, created, revision, version, options.lease()));
          revisions.add(next);
          if (failure.isPresent()) {
            throw failure.get();
          }
          return new PutResult(
              header(), options.previous() ? Optional.ofNullable(before) : Optional.empty());
        });
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    return answer(
        () -> {
          checkKey(key);
          KeyValue found = at(options.revision()).get(key);
          return new GetResult(header(), Optional.ofNullable(found));
        });
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    return deleteRange(KeyRange.single(key), options);
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    return answer(
        () -> {
          TreeMap<Bytes, KeyValue> next = new TreeMap<>(present());
          List<KeyValue> gone =
              next.values().stream().filter(kv -> range.contains(kv.key())).toList();
          gone.forEach(kv -> next.remove(kv.key()));
          if (!gone.isEmpty()) {
            revisions.add(next);
          }
          return new DeleteResult(header(), gone.size(), options.previous() ? gone : List.of());
        });
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    return answer(
        () -> {
          lastRange = options;
          if (options.limit() < 0) {
            throw new KvException.Rejected(Reason.INVALID_ARGUMENT, "negative limit");
          }
          NavigableMap<Bytes, KeyValue> state = at(options.revision());
          List<KeyValue> all =
              (options.reverse() ? state.descendingMap() : state)
                  .values().stream()
                      .filter(kv -> range.contains(kv.key()) && options.filter().accepts(kv))
                      .toList();
          if (options.countOnly()) {
            return new RangeResult(header(), List.of(), false, all.size());
          }
          long limit =
              options.limit() == 0 ? PAGE_KEYS_MAX : Math.min(options.limit(), PAGE_KEYS_MAX);
          List<KeyValue> page = all.subList(0, (int) Math.min(limit, all.size()));
          return new RangeResult(
              header(),
              page.stream().map(kv -> options.keysOnly() ? withoutValue(kv) : kv).toList(),
              page.size() < all.size(),
              all.size());
        });
  }

  /** What the next transaction results in; tests set it. */
  TxnResult nextTxn = new TxnResult(new Header(9, 3, 9, 1_000), true, List.of());

  /** The last one that was asked for. */
  Txn lastTxn = Txn.of();

  @Override
  public Leases leases() {
    return leases;
  }

  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    lastCompaction = revision + (options.physical() ? " physical" : "");
    return CompletableFuture.completedFuture(new CompactResult(header()));
  }

  @Override
  public synchronized CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    lastTxn = txn;
    return CompletableFuture.completedFuture(nextTxn);
  }

  /** How the last range was asked for. */
  RangeOptions lastRange = RangeOptions.DEFAULT;

  private static KeyValue withoutValue(KeyValue kv) {
    return new KeyValue(
        kv.key(), Bytes.EMPTY, kv.createRevision(), kv.modRevision(), kv.version(), kv.lease());
  }

  private NavigableMap<Bytes, KeyValue> at(long revision) {
    if (revision >= revisions.size()) {
      throw new KvException.Rejected(
          Reason.REVISION_IN_FUTURE, "revision " + revision + " is in the future");
    }
    return revision == 0 ? present() : revisions.get((int) revision);
  }

  private Header header() {
    return new Header(revisions.size() - 1, 3, revisions.size() + 5L, 1_000);
  }

  private static void checkKey(Bytes key) {
    if (key.isEmpty()) {
      throw new KvException.Rejected(Reason.INVALID_ARGUMENT, "empty key");
    }
    if (key.size() > KEY_BYTES_MAX) {
      throw new KvException.Rejected(Reason.TOO_LARGE, "key over " + KEY_BYTES_MAX + " bytes");
    }
  }

  private synchronized <T> CompletableFuture<T> answer(Supplier<T> operation) {
    try {
      return CompletableFuture.completedFuture(operation.get());
    } catch (KvException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /** From now on, a watch ends so when it has told what there is. */
  public synchronized void endWatches(WatchEnd end) {
    watchEnd = Optional.of(end);
  }

  @Override
  public synchronized Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
    List<WatchEvent> past = new ArrayList<>();
    long newest = revisions.size() - 1L;
    long first = options.fromRevision() == 0 ? newest + 1 : options.fromRevision();
    for (long at = Math.max(1, first); at <= newest; at++) {
      collect(range, options.previous(), (int) at, past);
    }
    FakeWatch watch = new FakeWatch(listener, first, new WatchEvents(newest, past));
    watchEnd.ifPresent(watch::end);
    return watch;
  }

  private void collect(KeyRange range, boolean previous, int at, List<WatchEvent> past) {
    NavigableMap<Bytes, KeyValue> before = revisions.get(at - 1);
    NavigableMap<Bytes, KeyValue> now = revisions.get(at);
    Set<Bytes> keys = new TreeSet<>(before.keySet());
    keys.addAll(now.keySet());
    for (Bytes key : keys) {
      KeyValue old = before.get(key);
      KeyValue found = now.get(key);
      if (range.contains(key) && !Objects.equals(old, found)) {
        past.add(
            new WatchEvent(
                found == null ? WatchEvent.Type.DELETE : WatchEvent.Type.PUT,
                found == null ? new KeyValue(key, Bytes.EMPTY, 0, at, 0, 0) : found,
                previous ? Optional.ofNullable(old) : Optional.empty()));
      }
    }
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener) {
    throw new UnsupportedOperationException("this store has no watches");
  }

  @Override
  public synchronized void close() {
    closed = true;
  }
}
