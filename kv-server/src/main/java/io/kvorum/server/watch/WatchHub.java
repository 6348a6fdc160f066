package io.kvorum.server.watch;

import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.node.Lane;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.WatchCreateRequest;
import io.kvorum.protocol.WatchProgressResponse;
import io.kvorum.protocol.Wire;
import io.kvorum.server.store.EventPlace;
import io.kvorum.server.store.Feed;
import io.kvorum.server.store.History;
import io.kvorum.server.store.Refusal;
import io.kvorum.server.store.StateReplacedException;
import io.kvorum.server.store.StoreEvent;
import io.kvorum.server.store.StoreLimits;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves the watches of a node.
 *
 * <p>A watch is a place in the store's history, and nothing else: what it gets is read from there
 * when it can be sent. The newest events come from {@link EventRing}, older ones from {@link
 * History}; the place says which, and nothing is handed over where the two meet. So there is no
 * queue that could be lost, doubled or left behind.
 *
 * <p>Most watches wait: they have everything. {@link RangeIndex} holds these, and only these. The
 * lane looks up each new event in it; who is found gets the event's place as its own, leaves the
 * index, and comes back when it has been served up to {@code matched}, together with others that
 * are as far as it is ({@link BatchMaker}). So an event costs those that watch it, once for all
 * that happens until they are served, and the others nothing.
 *
 * <p>All state belongs to the watch lane, in tasks that are short: a part of the history for one
 * watch at a time, the connections in turn. Writes only add to the ring and never wait.
 */
public final class WatchHub {
  private static final Duration RETRY_AFTER = Duration.ofMillis(500);

  /** How many watches are served before the lane does something else. */
  private static final int SERVED_PER_TURN = 256;

  private final Lane lane;
  private final Lane loop;
  private final WatchLimits limits;
  private final History history;
  private final EventRing ring;
  private final AtomicBoolean isTurnQueued = new AtomicBoolean();

  private final RangeIndex<Watcher> waiting = new RangeIndex<>();
  private final Set<WatchStream> streams = new LinkedHashSet<>();

  /** Connections to serve, in turn. */
  private final Set<WatchStream> toServe = new LinkedHashSet<>();

  /** Everything before it was looked up in the index. Between turns at the border of a revision. */
  private EventPlace matched;

  private int watchers;
  private boolean isStopped;
  private BooleanSupplier hasLeader = () -> true;
  private Consumer<RuntimeException> failed = failure -> {};
  private volatile WatchStats stats = new WatchStats(0, 0, 0, 0);

  /**
   * A hub for a store that has applied nothing since it was opened, and that tells {@link #feed}
   * what it applies.
   *
   * @param lane the watches' own
   * @param loop the node's
   * @param newest revision of the store
   */
  public WatchHub(Lane lane, Lane loop, History history, long newest, WatchLimits limits) {
    this.lane = lane;
    this.loop = loop;
    this.limits = limits;
    this.history = history;
    this.ring = new EventRing(limits, newest, this::queueTurn);
    this.matched = EventPlace.before(newest + 1);
  }

  /** Hears of what the store applies. */
  public Feed feed() {
    return ring;
  }

  /**
   * Says for which node this is done, before it starts.
   *
   * @param knowsLeader whether the node hears a leader; asked on the loop
   * @param whenFailed told on the loop when the store cannot be read any more
   */
  public void serve(BooleanSupplier knowsLeader, Consumer<RuntimeException> whenFailed) {
    hasLeader = knowsLeader;
    failed = whenFailed;
  }

  /** The watches of a new connection. On the loop. */
  public WatchStream open(FrameSink sink) {
    return new WatchStream(this, sink);
  }

  /** Ends all watches, so that clients go on elsewhere. Any lane. */
  public void stop() {
    execute(this::stopNow);
  }

  /** What there is; a little old, maybe. Any thread. */
  public WatchStats stats() {
    return stats;
  }

  void execute(Runnable task) {
    lane.execute(task);
  }

  void executeOnLoop(Runnable task) {
    loop.execute(task);
  }

  boolean hasLeader() {
    return hasLeader.getAsBoolean();
  }

  private void queueTurn() {
    if (isTurnQueued.compareAndSet(false, true)) {
      lane.execute(this::turn);
    }
  }

  private void turn() {
    isTurnQueued.set(false);
    if (isStopped) {
      return;
    }
    try {
      match();
      serve();
    } catch (StateReplacedException replaced) {
      // A snapshot is being installed under us. Everybody is where he was; the feed tells when to
      // look again, at the events of the new state (FAULTS F115).
      return;
    } catch (RuntimeException failure) {
      // The store is being closed under us, or its disk fails: then so does the node.
      stopNow();
      loop.execute(() -> failed.accept(failure));
      return;
    }
    disposeIfIdle();
    report();
    boolean isMore = matched.whole() < ring.newest() || !toServe.isEmpty();
    if (isMore && watchers > 0) {
      queueTurn();
    }
  }

  private void report() {
    int behind = 0;
    int connections = 0;
    for (WatchStream stream : streams) {
      behind += stream.behind.size();
      connections += stream.watchers.isEmpty() ? 0 : 1;
    }
    stats = new WatchStats(connections, watchers, behind, ring.size());
  }

  /** Looks up who wants to hear of what has happened: a part of it, but whole revisions. */
  private void match() {
    long newest = ring.newest();
    do {
      if (waiting.isEmpty()) {
        matched = EventPlace.before(newest + 1);
      }
      if (matched.revision() > newest) {
        return;
      }
      History.Part part = read(matched, newest);
      if (part == null) {
        // What happened is not known any more. Whoever waited may have missed something: each of
        // them finds that out at its own place (FAULTS F112).
        wakeAll();
        matched = EventPlace.before(newest + 1);
        return;
      }
      part.events().forEach(this::wake);
      matched = part.next();
    } while (matched.sub() != 0);
  }

  private void wake(StoreEvent event) {
    for (Watcher watcher : waiting.matching(event.now().key())) {
      // One that watches from later on goes on waiting.
      if (event.revision() >= watcher.next.revision()) {
        waiting.remove(watcher.range, watcher);
        watcher.next = EventPlace.before(event.revision());
        makeReady(watcher);
      }
    }
  }

  private void wakeAll() {
    long from = matched.revision();
    for (WatchStream stream : streams) {
      for (Watcher watcher : stream.watchers.values()) {
        if (watcher.state == Watcher.State.WAITING) {
          waiting.remove(watcher.range, watcher);
          watcher.next = EventPlace.before(Math.max(from, watcher.next.revision()));
          makeReady(watcher);
        }
      }
    }
  }

  private void makeReady(Watcher watcher) {
    watcher.stream.makeReady(watcher);
    if (!watcher.stream.isBatchUnderWay) {
      toServe.add(watcher.stream);
    }
  }

  /** A part of what happened, or null if it is compacted. */
  History.@Nullable Part read(EventPlace from, long to) {
    History.Part recent = ring.read(from, to, limits.partEvents(), limits.partBytes());
    if (recent != null) {
      return recent;
    }
    if (from.revision() < history.compactRevision()) {
      return null;
    }
    History.Part old = history.read(from, to, limits.partEvents(), limits.partBytes());
    // It may have been removed while we read: only now we know that it was all there.
    return from.revision() < history.compactRevision() ? null : old;
  }

  private void serve() {
    int left = SERVED_PER_TURN;
    while (left > 0 && !toServe.isEmpty()) {
      Iterator<WatchStream> next = toServe.iterator();
      WatchStream stream = next.next();
      next.remove();
      left -= serve(stream, left);
    }
  }

  /** Sends a connection one batch. */
  private int serve(WatchStream stream, int most) {
    BatchMaker batch = new BatchMaker(this, stream, limits, history, most);
    try {
      batch.fill();
      return Math.max(1, batch.served());
    } finally {
      // Also when this was cut short.
      if (!batch.frames().isEmpty()) {
        stream.send(batch.frames());
      } else if (stream.hasReady()) {
        toServe.add(stream);
      }
    }
  }

  /** The newest revision that was looked up in the index, whole. */
  long matchedWhole() {
    return matched.whole();
  }

  /** The watcher has everything up to there. */
  void waits(Watcher watcher) {
    watcher.stream.removeReady(watcher);
    watcher.state = Watcher.State.WAITING;
    watcher.stream.behind.remove(watcher);
    waiting.add(watcher.range, watcher);
  }

  /** The connection has taken a batch. */
  void taken(WatchStream stream) {
    stream.isBatchUnderWay = false;
    if (!stream.isGone && stream.hasReady()) {
      toServe.add(stream);
      queueTurn();
    }
  }

  /** A client has sent something. */
  void received(WatchStream stream, ClientFrame frame) {
    if (stream.isGone) {
      return;
    }
    long id = frame.getId();
    switch (frame.getBodyCase()) {
      case WATCH_CREATE -> create(stream, id, frame.getWatchCreate());
      case WATCH_CREDIT ->
          credit(stream, id, Integer.toUnsignedLong(frame.getWatchCredit().getBytes()));
      case WATCH_CANCEL -> cancel(stream, id);
      case WATCH_PROGRESS -> progress(stream, id);
      default -> throw new AssertionError("not about watches: " + frame.getBodyCase());
    }
  }

  private void create(WatchStream stream, long id, WatchCreateRequest request) {
    KvException refused = refuse(stream, id, request);
    if (refused != null) {
      stream.answer(WatchFrames.error(id, refused));
      return;
    }
    if (watchers == 0) {
      // From here on the ring collects; what it has missed meanwhile is in the history.
      ring.want(true);
    }
    long newest = ring.newest();
    long start = request.getStartRevision() == 0 ? newest + 1 : request.getStartRevision();
    if (start < history.compactRevision()) {
      stream.answer(WatchFrames.compacted(id, start, history.compactRevision()));
      disposeIfIdle();
      return;
    }
    Watcher watcher =
        new Watcher(
            stream,
            id,
            Wire.keyRange(request.getKey(), request.getRangeEnd()),
            new Watcher.Wants(request.getPrevKv(), !request.getNoPuts(), !request.getNoDeletes()),
            windowBytes(request),
            EventPlace.before(start));
    if (watchers == 0) {
      matched = EventPlace.before(newest + 1);
    }
    streams.add(stream);
    stream.watchers.put(id, watcher);
    watchers++;
    stream.answer(WatchFrames.created(id, start, newest));
    makeReady(watcher);
    queueTurn();
  }

  private static long windowBytes(WatchCreateRequest request) {
    long asked = Integer.toUnsignedLong(request.getWindowBytes());
    return asked == 0 ? ProtocolLimits.WATCH_WINDOW_BYTES : asked;
  }

  private @Nullable KvException refuse(WatchStream stream, long id, WatchCreateRequest request) {
    if (isStopped) {
      return new KvException.Unavailable("this node is stopping");
    }
    if (stream.watchers.size() >= limits.watchesMax()) {
      return new KvException.Overloaded(
          "a connection has at most " + limits.watchesMax() + " watches", RETRY_AFTER);
    }
    if (request.getStartRevision() < 0 || stream.watchers.containsKey(id)) {
      return new KvException.Rejected(
          KvException.Reason.INVALID_ARGUMENT,
          stream.watchers.containsKey(id)
              ? "there is a watch " + id + " on this connection"
              : "the start revision is negative: " + request.getStartRevision());
    }
    try {
      KeyRange range = Wire.keyRange(request.getKey(), request.getRangeEnd());
      Refusal refusal = StoreLimits.refuseRange(range);
      return refusal == null ? null : new KvException.Rejected(refusal.reason(), refusal.message());
    } catch (KvException.Rejected malformed) {
      return malformed;
    }
  }

  private void credit(WatchStream stream, long id, long bytes) {
    Watcher watcher = stream.watchers.get(id);
    if (watcher == null) {
      return;
    }
    watcher.unconsumedBytes = Math.max(0, watcher.unconsumedBytes - bytes);
    if (watcher.state == Watcher.State.WITHOUT_CREDIT) {
      makeReady(watcher);
      queueTurn();
    }
  }

  private void cancel(WatchStream stream, long id) {
    Watcher watcher = stream.watchers.get(id);
    if (watcher != null) {
      forget(watcher);
      stream.answer(WatchFrames.canceled(id));
      disposeIfIdle();
      report();
    }
  }

  /** Behind all that was sent: who is not behind has everything up to {@code matched}. */
  private void progress(WatchStream stream, long id) {
    WatchProgressResponse.Builder progress =
        WatchProgressResponse.newBuilder()
            .setRevision(watchers == 0 ? ring.newest() : matched.whole());
    stream.behind.forEach(watcher -> progress.addBehind(watcher.id));
    stream.answerProgress(id, progress);
  }

  /** It has ended. */
  void forget(Watcher watcher) {
    watcher.stream.removeReady(watcher);
    if (watcher.state == Watcher.State.WAITING) {
      waiting.remove(watcher.range, watcher);
    }
    watcher.state = Watcher.State.GONE;
    watcher.stream.behind.remove(watcher);
    watcher.stream.watchers.remove(watcher.id);
    watchers--;
    if (watcher.stream.watchers.isEmpty()) {
      streams.remove(watcher.stream);
    }
  }

  private void disposeIfIdle() {
    if (watchers == 0) {
      ring.want(false);
    }
  }

  /** The connection is gone. */
  void gone(WatchStream stream) {
    if (stream.isGone) {
      return;
    }
    stream.isGone = true;
    List.copyOf(stream.watchers.values()).forEach(this::forget);
    stream.forget();
    toServe.remove(stream);
    disposeIfIdle();
    report();
  }

  private void stopNow() {
    isStopped = true;
    for (WatchStream stream : List.copyOf(streams)) {
      for (Watcher watcher : List.copyOf(stream.watchers.values())) {
        forget(watcher);
        stream.answer(WatchFrames.stopping(watcher.id));
      }
    }
    ring.want(false);
    report();
  }
}
