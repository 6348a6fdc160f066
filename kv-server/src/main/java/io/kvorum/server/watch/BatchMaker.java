package io.kvorum.server.watch;

import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.WatchEventsResponse;
import io.kvorum.server.store.EventPlace;
import io.kvorum.server.store.History;
import io.kvorum.server.store.StateReplacedException;
import io.kvorum.server.store.StoreEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes one batch of frames for a connection.
 *
 * <p>Its watches that have something to get take turns. Whose turn it is has a part of the history
 * read from its place on, and all others whose places lie in that part are served from it too: each
 * event is looked up among them, once. So many watches that fall behind together read what happened
 * once, not once each; else ten thousand watches of ten thousand keys would fall behind for ever.
 */
final class BatchMaker {
  private final WatchHub hub;
  private final WatchStream stream;
  private final WatchLimits limits;
  private final History history;
  private final int watchersMax;
  private final List<ServerFrame> frames = new ArrayList<>();
  private long bytes;
  private int served;

  /**
   * @param watchersMax how many watches to serve at most
   */
  BatchMaker(
      WatchHub hub, WatchStream stream, WatchLimits limits, History history, int watchersMax) {
    this.hub = hub;
    this.stream = stream;
    this.limits = limits;
    this.history = history;
    this.watchersMax = watchersMax;
  }

  /** What was made; also after {@link #fill} was cut short: whom it is for, they have moved on. */
  List<ServerFrame> frames() {
    return frames;
  }

  /** How many watches were served. */
  int served() {
    return served;
  }

  /**
   * Makes the batch.
   *
   * @throws StateReplacedException if the state is replaced meanwhile; who was not served is ready
   *     where it was
   */
  void fill() {
    while (served < watchersMax && !isFull()) {
      Watcher first = stream.firstReady();
      if (first == null) {
        return;
      }
      serveWithOthers(first);
    }
  }

  private boolean isFull() {
    return bytes >= 2L * limits.frameBytes();
  }

  private void serveWithOthers(Watcher first) {
    long through = hub.matchedWhole();
    if (first.next.revision() > through) {
      served++;
      hub.waits(first);
      return;
    }
    History.Part part = hub.read(first.next, through);
    if (part == null) {
      served++;
      hub.forget(first);
      long asked = first.next.revision();
      add(WatchFrames.compacted(first.id, asked, history.compactRevision()));
      return;
    }
    List<Watcher> together = stream.ready(first.next, part.next(), watchersMax - served);
    Map<Watcher, List<StoreEvent>> wanted = share(part, together);
    for (Watcher watcher : together) {
      if (isFull()) {
        return;
      }
      served++;
      List<StoreEvent> events = wanted.getOrDefault(watcher, List.of());
      serveOrKeep(watcher, new History.Part(events, part.next()));
    }
  }

  /** Who gets what of a part. */
  private static Map<Watcher, List<StoreEvent>> share(History.Part part, List<Watcher> watchers) {
    if (watchers.size() == 1) {
      return Map.of(watchers.get(0), part.events());
    }
    RangeIndex<Watcher> index = new RangeIndex<>();
    watchers.forEach(watcher -> index.add(watcher.range, watcher));
    Map<Watcher, List<StoreEvent>> shares = new HashMap<>();
    for (StoreEvent event : part.events()) {
      EventPlace place = new EventPlace(event.revision(), event.sub());
      for (Watcher watcher : index.matching(event.now().key())) {
        if (watcher.next.compareTo(place) <= 0) {
          shares.computeIfAbsent(watcher, first -> new ArrayList<>()).add(event);
        }
      }
    }
    return shares;
  }

  /** If the state is replaced meanwhile, the watcher stays where it is, and is ready again. */
  private void serveOrKeep(Watcher watcher, History.Part part) {
    Watcher.Standing standing = watcher.standing();
    stream.removeReady(watcher);
    try {
      serve(watcher, part);
    } catch (StateReplacedException replaced) {
      watcher.returnTo(standing);
      stream.makeReady(watcher);
      throw replaced;
    }
  }

  private void serve(Watcher watcher, History.Part part) {
    EventPlace before = watcher.next;
    List<WatchEventsResponse> messages =
        EventPacker.pack(watcher, part, history, limits.frameBytes());
    messages.forEach(message -> add(WatchFrames.events(watcher.id, message)));
    if (messages.isEmpty() && watcher.next.equals(before)) {
      watcher.state = Watcher.State.WITHOUT_CREDIT;
    } else if (watcher.next.revision() > hub.matchedWhole()) {
      hub.waits(watcher);
    } else {
      stream.makeReady(watcher);
    }
  }

  private void add(ServerFrame frame) {
    frames.add(frame);
    bytes += frame.getSerializedSize();
  }
}
