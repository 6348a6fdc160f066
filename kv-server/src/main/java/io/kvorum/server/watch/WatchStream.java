package io.kvorum.server.watch;

import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.WatchProgressResponse;
import io.kvorum.server.store.EventPlace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The watches of one connection.
 *
 * <p>Half of it belongs to the loop, where frames come and go; half to the watch lane. Between them
 * one batch of frames is under way at a time, and the next one follows only when the connection has
 * taken it and would take more. So a client that does not read costs a batch, not a queue, and what
 * its watches miss meanwhile they read from history.
 */
public final class WatchStream {
  private final WatchHub hub;
  private final FrameSink sink;

  // On the loop.
  private boolean isHeldUp;
  private boolean isClosed;

  // On the watch lane.
  final Map<Long, Watcher> watchers = new LinkedHashMap<>();

  /** Those that may have something to get, in turn; and the same by their places. */
  private final Set<Watcher> ready = new LinkedHashSet<>();

  private final NavigableMap<Position, Watcher> readyByPlace = new TreeMap<>();

  /** Those that do not wait: they have something to get. */
  final Set<Watcher> behind = new LinkedHashSet<>();

  boolean isBatchUnderWay;
  boolean isGone;

  /** Where a watcher is in history, and among those at the same place. */
  private record Position(EventPlace place, long id) implements Comparable<Position> {
    static Position of(Watcher watcher) {
      return new Position(watcher.next, watcher.id);
    }

    static Position first(EventPlace place) {
      return new Position(place, Long.MIN_VALUE);
    }

    @Override
    public int compareTo(Position other) {
      int byPlace = place.compareTo(other.place);
      return byPlace != 0 ? byPlace : Long.compare(id, other.id);
    }
  }

  WatchStream(WatchHub hub, FrameSink sink) {
    this.hub = hub;
    this.sink = sink;
  }

  /** Takes a frame about watches. On the loop. */
  public void handle(ClientFrame frame) {
    if (!isClosed) {
      hub.execute(() -> hub.received(this, frame));
    }
  }

  /** The sink takes more again. On the loop. */
  public void writable() {
    if (isHeldUp && sink.isWritable()) {
      isHeldUp = false;
      hub.execute(() -> hub.taken(this));
    }
  }

  /** The connection is gone, and with it all its watches (FAULTS F122). On the loop. */
  public void close() {
    isClosed = true;
    hub.execute(() -> hub.gone(this));
  }

  /** Sends a batch; the hub hears when it was taken. On the watch lane. */
  void send(List<ServerFrame> batch) {
    isBatchUnderWay = true;
    hub.executeOnLoop(() -> write(batch));
  }

  private void write(List<ServerFrame> batch) {
    if (isClosed) {
      return;
    }
    batch.forEach(sink::push);
    if (sink.isWritable()) {
      hub.execute(() -> hub.taken(this));
    } else {
      isHeldUp = true;
    }
  }

  /** Answers a request, behind all that was sent before. On the watch lane. */
  void answer(ServerFrame frame) {
    hub.executeOnLoop(
        () -> {
          if (!isClosed) {
            sink.push(frame);
          }
        });
  }

  /** As {@link #answer}, with what only the loop knows. */
  void answerProgress(long id, WatchProgressResponse.Builder progress) {
    hub.executeOnLoop(
        () -> {
          if (!isClosed) {
            progress.setHasLeader(hub.hasLeader());
            sink.push(ServerFrame.newBuilder().setId(id).setWatchProgress(progress).build());
          }
        });
  }

  /** The watcher has something to get, behind the others. On the watch lane. */
  void makeReady(Watcher watcher) {
    watcher.state = Watcher.State.READY;
    behind.add(watcher);
    ready.add(watcher);
    readyByPlace.put(Position.of(watcher), watcher);
  }

  /** If it is ready, it is not any more; before its place changes. On the watch lane. */
  void removeReady(Watcher watcher) {
    if (ready.remove(watcher)) {
      readyByPlace.remove(Position.of(watcher));
    }
  }

  /** Whose turn it is, or null. On the watch lane. */
  @Nullable Watcher firstReady() {
    return ready.isEmpty() ? null : ready.iterator().next();
  }

  /**
   * Those that are ready at a place from here to there, exclusive, in the order of their places. On
   * the watch lane.
   */
  List<Watcher> ready(EventPlace from, EventPlace to, int most) {
    List<Watcher> found = new ArrayList<>();
    NavigableMap<Position, Watcher> there =
        readyByPlace.subMap(Position.first(from), true, Position.first(to), false);
    for (Watcher watcher : there.values()) {
      if (found.size() == most) {
        break;
      }
      found.add(watcher);
    }
    return found;
  }

  /** Whether somebody could be served. On the watch lane. */
  boolean hasReady() {
    return !ready.isEmpty();
  }

  void forget() {
    watchers.clear();
    ready.clear();
    readyByPlace.clear();
    behind.clear();
  }
}
