package io.kvorum.server.watch;

import io.kvorum.server.store.EventPlace;
import io.kvorum.server.store.Feed;
import io.kvorum.server.store.History;
import io.kvorum.server.store.StoreEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest events, in memory. The apply lane adds, and waits for nobody: what is too much falls
 * out at the old end, and whoever wanted it reads it from {@link History}. While nobody watches it
 * holds nothing, and knows only how far the store is.
 *
 * <p>What it holds has no gap, begins at the beginning of a revision, and ends at the newest one.
 * When the store is replaced by a newer one it begins anew behind it (FAULTS F115).
 */
final class EventRing implements Feed {
  private final WatchLimits limits;
  private final Runnable news;
  private volatile boolean wanted;
  private volatile long newest;

  /** Guards what follows; held for as long as it takes to copy references. */
  private final Object lock = new Object();

  private StoreEvent[] events = new StoreEvent[64];
  private long first;
  private long end;
  private long bytes;

  /**
   * An empty ring.
   *
   * @param newest revision of the store
   * @param news called after something was added while it is wanted; must not wait
   */
  EventRing(WatchLimits limits, long newest, Runnable news) {
    this.limits = limits;
    this.newest = newest;
    this.news = news;
  }

  @Override
  public boolean isWanted() {
    return wanted;
  }

  /** Whether somebody watches. */
  void want(boolean anybody) {
    wanted = anybody;
    if (!anybody) {
      synchronized (lock) {
        clear();
      }
    }
  }

  /** The newest revision that the store has applied, whole. Any thread. */
  long newest() {
    return newest;
  }

  @Override
  public void applied(List<StoreEvent> added, long revision) {
    if (revision == newest) {
      return;
    }
    if (wanted) {
      synchronized (lock) {
        int from = gapless(added, revision);
        boolean follows =
            from == 0 && !added.isEmpty() && first < end && last() + 1 == added.get(0).revision();
        if (!follows) {
          clear();
        }
        for (int i = from; i < added.size(); i++) {
          add(added.get(i));
        }
        trim();
      }
    }
    // Behind the events: whoever knows of this revision finds it in here, or in the history.
    newest = revision;
    if (wanted) {
      news.run();
    }
  }

  /** {@inheritDoc} Nothing of it is in here: watches find it in the history, or that it is gone. */
  @Override
  public void replaced(long revision) {
    synchronized (lock) {
      clear();
    }
    newest = revision;
    // Also where it is no other revision: some may have met the old state while it went.
    if (wanted) {
      news.run();
    }
  }

  /** Where the part begins that leads up to this revision without a gap. */
  private static int gapless(List<StoreEvent> added, long revision) {
    long expected = revision;
    int from = added.size();
    while (from > 0) {
      long before = added.get(from - 1).revision();
      if (before != expected && before != expected - 1) {
        break;
      }
      if (from == added.size() && before != revision) {
        break;
      }
      expected = before;
      from--;
    }
    return from;
  }

  private long last() {
    return at(end - 1).revision();
  }

  private StoreEvent at(long position) {
    return events[(int) (position & (events.length - 1))];
  }

  private void add(StoreEvent event) {
    if (end - first == events.length) {
      StoreEvent[] larger = new StoreEvent[2 * events.length];
      for (long i = first; i < end; i++) {
        larger[(int) (i & (larger.length - 1))] = at(i);
      }
      events = larger;
    }
    events[(int) (end & (events.length - 1))] = event;
    end++;
    bytes += event.bytes();
  }

  /** Whole revisions fall out. */
  private void trim() {
    while (first < end && (end - first > limits.recentEvents() || bytes > limits.recentBytes())) {
      long oldest = at(first).revision();
      while (first < end && at(first).revision() == oldest) {
        removeFirst();
      }
    }
  }

  private void clear() {
    while (first < end) {
      removeFirst();
    }
  }

  @SuppressWarnings("NullAway") // Slots outside of first and end hold nothing.
  private void removeFirst() {
    bytes -= at(first).bytes();
    events[(int) (first & (events.length - 1))] = null;
    first++;
  }

  /**
   * Reads on from a place, or null if the ring does not hold all that is asked for.
   *
   * @param to the last revision to read
   * @param eventsMax the most events to read
   * @param bytesMax the most bytes to read, if that is more than one event
   */
  History.@Nullable Part read(EventPlace from, long to, int eventsMax, long bytesMax) {
    synchronized (lock) {
      if (first == end || from.revision() < at(first).revision() || last() < to) {
        return null;
      }
      List<StoreEvent> read = new ArrayList<>();
      long readBytes = 0;
      for (long i = find(from); i < end && at(i).revision() <= to; i++) {
        StoreEvent event = at(i);
        if (read.size() >= eventsMax || readBytes >= bytesMax) {
          return new History.Part(read, new EventPlace(event.revision(), event.sub()));
        }
        read.add(event);
        readBytes += event.bytes();
      }
      return new History.Part(read, EventPlace.before(to + 1));
    }
  }

  /** The position of the first event that is not before the place. */
  private long find(EventPlace place) {
    long low = first;
    long high = end;
    while (low < high) {
      long middle = (low + high) >>> 1;
      StoreEvent event = at(middle);
      boolean isBefore =
          event.revision() < place.revision()
              || (event.revision() == place.revision() && event.sub() < place.sub());
      if (isBefore) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** How many events it holds. */
  long size() {
    synchronized (lock) {
      return end - first;
    }
  }
}
