package io.kvorum.client.cache;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * A local copy of a range of keys, kept up to date by a watch.
 *
 * <p>Reads are answered from memory and are sequentially consistent: each shows the range as of one
 * revision, with all of it and nothing beyond, and a later read never an older one. How old that
 * is, they say. Two ways lead to fresher ones: {@link #awaitRevision} waits for a revision, such as
 * that of one's own write; {@link #linearizable} asks the cluster for the newest revision, which
 * moves no data, and waits for that.
 *
 * <p>The state is one immutable, persistent map behind one reference: the watch puts the next one
 * in its place when a whole number of revisions is in it. So a reader needs no lock, and what it
 * holds stays as it is.
 *
 * <p>While the cluster cannot be reached, the view goes on answering with what it has, older and
 * older. When compaction has overtaken the watch, the range is read anew. When the watch is over,
 * so is the view: then reads fail, since nobody would tell what changes.
 *
 * <p>Thread-safe. Futures complete on the thread on which the client calls listeners of watches or
 * completes futures; a callback that blocks there holds up this view. The whole range is held in
 * memory, whatever its size; {@link PointCache} holds as much as it may.
 */
public final class CachedView implements AutoCloseable {
  /** What the view shows. */
  private record State(TreePMap<Bytes, KeyValue> keyValues, long revision, long weightBytes) {
    /** With a change in it, but still of the same revision. */
    State with(WatchEvent event) {
      KeyValue now = event.keyValue();
      KeyValue before = keyValues.get(now.key());
      long without = weightBytes - (before == null ? 0 : weight(before));
      return event.type() == WatchEvent.Type.PUT
          ? new State(keyValues.plus(now.key(), now), revision, without + weight(now))
          : new State(keyValues.minus(now.key()), revision, without);
    }

    /** With everything in it up to that revision. */
    State at(long upTo) {
      return new State(keyValues, Math.max(revision, upTo), weightBytes);
    }

    static long weight(KeyValue held) {
      return (long) held.key().size() + held.value().size();
    }
  }

  private final KvClient client;
  private final KeyRange range;
  private final Freshness freshness;
  private final CompletableFuture<CachedView> ready = new CompletableFuture<>();
  private final LongAdder reads = new LongAdder();
  private final LongAdder listings = new LongAdder();

  /** Written by the listener only. Never goes back. */
  private volatile @Nullable State state;

  private volatile @Nullable Watch watch;

  private CachedView(KvClient client, KeyRange range, CacheOptions options) {
    this.client = client;
    this.range = range;
    this.freshness = new Freshness("the view of " + range, options, this::askProgress);
  }

  /** Opens a view with {@link CacheOptions#DEFAULT}. */
  public static CachedView open(KvClient client, KeyRange range) {
    return open(client, range, CacheOptions.DEFAULT);
  }

  /**
   * Begins to copy the range; does not wait for it.
   *
   * @param client which the view uses and does not close
   */
  public static CachedView open(KvClient client, KeyRange range, CacheOptions options) {
    CachedView view = new CachedView(client, range, options);
    view.watch =
        client.watchWithSnapshot(range, WatchOptions.DEFAULT.withProgress(), view.new Listener());
    return view;
  }

  private void askProgress() {
    Watch open = watch;
    if (open != null) {
      open.requestProgress();
    }
  }

  /** Completes with this view when it holds the range for the first time; or fails, if it ends. */
  public CompletableFuture<CachedView> ready() {
    return ready.copy();
  }

  /**
   * The newest state that the view knows.
   *
   * @throws KvException.Unavailable if there is none yet, or the view has ended
   */
  public ViewSnapshot now() {
    ViewSnapshot snapshot = snapshot();
    reads.increment();
    return snapshot;
  }

  private ViewSnapshot snapshot() {
    KvException over = freshness.failure();
    if (over != null) {
      throw over;
    }
    // First the age: what becomes newer in between is no older than it says.
    Duration age = freshness.age();
    State present = state;
    if (present == null) {
      throw new KvException.Unavailable("the view of " + range + " has not read its range yet");
    }
    return new ViewSnapshot(present.keyValues, present.revision, age);
  }

  /**
   * What the key holds in the newest state that the view knows.
   *
   * @throws IllegalArgumentException if the key is outside the range of the view
   * @throws KvException.Unavailable as {@link #now} does
   */
  public Optional<KeyValue> get(Bytes key) {
    if (!range.contains(key)) {
      throw new IllegalArgumentException(key + " is outside of what the view copies: " + range);
    }
    return now().get(key);
  }

  /**
   * A state of that revision or a later one: read-your-writes, with the revision of one's own
   * write. Fails with {@link KvException.Unavailable} if the view does not come so far in time, or
   * ends.
   */
  public CompletableFuture<ViewSnapshot> awaitRevision(long revision) {
    return shown(freshness.await(revision));
  }

  /**
   * A state with all that was acknowledged before this call, whoever wrote it. The cluster is asked
   * for its newest revision, at the cost of a linearizable read without data. Fails as the client's
   * reads do, and as {@link #awaitRevision}.
   */
  public CompletableFuture<ViewSnapshot> linearizable() {
    return shown(freshness.confirm(client));
  }

  private CompletableFuture<ViewSnapshot> shown(CompletableFuture<Long> known) {
    CompletableFuture<ViewSnapshot> shown = known.newIncompleteFuture();
    var unused =
        known.whenComplete(
            (revision, failure) -> {
              if (failure != null) {
                shown.completeExceptionally(failure);
                return;
              }
              try {
                shown.complete(now());
              } catch (KvException over) {
                shown.completeExceptionally(over);
              }
            });
    return shown;
  }

  /** How long ago the cluster was heard; some seconds while nothing changes. */
  public Duration age() {
    return freshness.age();
  }

  /** What the view has done, and where it is. */
  public CacheMetrics metrics() {
    State present = state;
    return new CacheMetrics(
        reads.sum(),
        0,
        0,
        listings.sum(),
        present == null ? 0 : present.keyValues.size(),
        present == null ? 0 : present.weightBytes,
        freshness.revision(),
        freshness.behind(),
        freshness.age());
  }

  /** Ends the watch; from now on reads fail. Closing twice is allowed. */
  @Override
  public void close() {
    end(new KvException.Unavailable("the view of " + range + " is closed"));
    closeWatch();
  }

  private void closeWatch() {
    Watch open = watch;
    if (open != null) {
      open.close();
    }
  }

  private void end(KvException why) {
    freshness.fail(why);
    state = null;
    ready.completeExceptionally(why);
  }

  /** Keeps the state. Called for one thing at a time. */
  private final class Listener implements SnapshotListener {
    @Override
    public void snapshot(long revision, List<KeyValue> keyValues) {
      State before = state;
      if (before != null && revision < before.revision) {
        // A store that was restored, or made anew without its last writes. To go on would be to go
        // back, and whatever rests on this view would not notice.
        end(
            new KvException.Unavailable(
                "the store has gone back from revision "
                    + before.revision
                    + " to "
                    + revision
                    + "; open another view"));
        closeWatch();
        return;
      }
      TreePMap<Bytes, KeyValue> all = TreePMap.empty();
      long weight = 0;
      for (KeyValue each : keyValues) {
        all = all.plus(each.key(), each);
        weight += State.weight(each);
      }
      listings.increment();
      become(new State(all, revision, weight));
      ready.complete(CachedView.this);
    }

    @Override
    public void events(WatchEvents events) {
      State next = present();
      for (WatchEvent event : events.events()) {
        next = next.with(event);
      }
      become(next.at(events.revision()));
    }

    @Override
    public void progress(long revision) {
      become(present().at(revision));
    }

    private State present() {
      State present = state;
      return present == null ? new State(TreePMap.empty(), 0, 0) : present;
    }

    private void become(State next) {
      if (freshness.failure() == null) {
        state = next;
        freshness.heard(next.revision);
      }
    }

    @Override
    public void ended(WatchEnd how) {
      end(Ends.reason("the view of " + range, how));
    }
  }

  /** For messages. */
  @Override
  public String toString() {
    return "view of " + range + " at revision " + freshness.revision();
  }
}
