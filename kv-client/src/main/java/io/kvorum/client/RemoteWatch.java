package io.kvorum.client;

import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import io.kvorum.protocol.Event;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.WatchEventsResponse;
import io.kvorum.protocol.WatchWire;
import io.kvorum.protocol.Wire;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch: where it is, and what its listener has yet to hear.
 *
 * <p>Where it is belongs to the loop: {@link #next} is the first revision that has not arrived
 * whole, and with which the watch goes on elsewhere. What has arrived waits in a queue for the
 * listener, which runs on the executor for listeners, one call to a task, so that many watches
 * share few threads in turn. The queue is bounded by the window that the server was given: only
 * what the listener has consumed is given back as credit (FAULTS F149).
 */
final class RemoteWatch implements Watch, EndsWithClient {
  /** A step of the listener. */
  private sealed interface Signal {
    /**
     * Events.
     *
     * @param epoch of the creation that they came from; credit is owed to no other
     */
    record Events(WatchEvents events, long bytes, int epoch) implements Signal {}

    record Progress(long revision) implements Signal {}

    record Started(long revision) implements Signal {}

    record End(WatchEnd end) implements Signal {}
  }

  private static final Logger LOG = LoggerFactory.getLogger(RemoteWatch.class);

  final KeyRange range;
  final WatchOptions options;
  final CompletableFuture<Long> started = new CompletableFuture<>();
  final CompletableFuture<WatchEnd> ended = new CompletableFuture<>();

  /** The first revision that has not arrived whole; 0: not known yet. On the loop. */
  long next;

  /** Under which it is known on the present link; 0: it is not. On the loop. */
  long id;

  /** Whether the server has answered its creation on the present link. On the loop. */
  boolean isCreated;

  /** Whether the listener is to be told how far it is, as soon as that is known. On the loop. */
  boolean isProgressWanted;

  /** When the listener was last told something. On the loop. */
  long toldNanos;

  private final Watches owner;
  private final WatchListener listener;
  private final int windowBytes;
  private final Pieces pieces = new Pieces();
  private int epoch;

  /**
   * Of fragments: how many events behind {@link #next} the listener is told of, and how many of
   * these will come again on the present link.
   */
  private int fragmentEvents;

  private int repeatedEvents;

  /** Guards what follows. */
  private final Object lock = new Object();

  private final Deque<Signal> queue = new ArrayDeque<>();
  private long queuedBytes;
  private long consumedBytes;
  private int consumedEpoch;
  private boolean isScheduled;
  private boolean isSilenced;
  private boolean isEnding;

  /**
   * A watch that is nowhere yet.
   *
   * @param windowBytes that may wait for the listener
   */
  RemoteWatch(
      Watches owner,
      KeyRange range,
      WatchOptions options,
      WatchListener listener,
      int windowBytes) {
    this.owner = owner;
    this.windowBytes = windowBytes;
    this.range = range;
    this.options = options;
    this.listener = listener;
    this.next = options.fromRevision();
  }

  @Override
  public CompletableFuture<Long> started() {
    return started.copy();
  }

  @Override
  public CompletableFuture<WatchEnd> ended() {
    return ended.copy();
  }

  @Override
  public void requestProgress() {
    owner.requestProgress(this);
  }

  @Override
  public void close() {
    synchronized (lock) {
      isSilenced = true;
    }
    owner.close(this, new WatchEnd.Closed());
  }

  @Override
  public void clientClosed() {
    end(new WatchEnd.ClientClosed());
  }

  /** How much the server may send ahead if it is asked now; less than half a window: not yet. */
  int room() {
    synchronized (lock) {
      return (int) Math.max(0, windowBytes - queuedBytes);
    }
  }

  /** It begins anew on a link. */
  void attached(long newId) {
    id = newId;
    isCreated = false;
    epoch++;
    pieces.clear();
    repeatedEvents = fragmentEvents;
  }

  /** Its link is gone. What had not arrived whole is forgotten; it will come again. */
  void detached() {
    id = 0;
    isCreated = false;
    pieces.clear();
  }

  /** A server has accepted it. */
  void created(long startRevision) {
    isCreated = true;
    next = next == 0 ? startRevision : next;
    if (!started.isDone()) {
      offer(new Signal.Started(next));
    }
  }

  /**
   * Events have arrived.
   *
   * @param bytes of the message
   * @return how many bytes may come in their place at once: those of a piece of a revision of which
   *     nothing waits for the listener, but what there is waits here
   * @throws KvException.Rejected if the revision is too large to be put together
   * @throws IllegalArgumentException if they make no sense
   */
  long arrived(WatchEventsResponse response, int bytes) {
    pieces.add(response.getEventsList(), bytes);
    if (response.getFragment()) {
      return options.fragments() ? fragment(response.getRevision(), bytes) : bytes;
    }
    next = response.getRevision() + 1;
    WatchEvents whole = new WatchEvents(response.getRevision(), news(pieces.take()));
    fragmentEvents = 0;
    repeatedEvents = 0;
    offer(new Signal.Events(whole, bytes, epoch));
    return 0;
  }

  /**
   * A piece of a revision goes to the listener, but for its last event, of which more may follow.
   */
  private long fragment(long revision, int bytes) {
    List<WatchEvent> news = news(pieces.takeAllButTheLast());
    if (news.isEmpty()) {
      return bytes;
    }
    fragmentEvents += news.size();
    offer(new Signal.Events(new WatchEvents(revision, news, true), bytes, epoch));
    return 0;
  }

  /** Without those that the listener was told of before the watch went on here. */
  private List<WatchEvent> news(List<WatchEvent> arrived) {
    int known = Math.min(repeatedEvents, arrived.size());
    repeatedEvents -= known;
    return arrived.subList(known, arrived.size());
  }

  /**
   * Nothing of its range happened up to this revision but what has arrived. Says whether that is
   * news: a watch of the future has not begun, and a member that is behind knows less than we do.
   */
  boolean advanced(long revision) {
    if (revision + 1 < next) {
      return false;
    }
    next = revision + 1;
    return true;
  }

  /** The listener hears how far it is. */
  void tellProgress(long revision, long nowNanos) {
    toldNanos = nowNanos;
    isProgressWanted = false;
    offer(new Signal.Progress(revision));
  }

  /** Ends it, once; any thread. */
  void end(WatchEnd end) {
    offer(new Signal.End(end));
  }

  private void offer(Signal signal) {
    synchronized (lock) {
      if (isEnding) {
        return;
      }
      isEnding = signal instanceof Signal.End;
      if (signal instanceof Signal.Events events) {
        queuedBytes += events.bytes();
      }
      if (signal instanceof Signal.Progress && queue.peekLast() instanceof Signal.Progress) {
        // Nobody has heard of the one before: the newer one says as much.
        queue.removeLast();
      }
      queue.add(signal);
      if (isScheduled) {
        return;
      }
      isScheduled = true;
    }
    owner.executeListener(this::step);
  }

  /** On the executor for listeners, one at a time. */
  private void step() {
    Signal signal;
    boolean isSkipped;
    synchronized (lock) {
      signal = queue.remove();
      isSkipped = isSilenced && !(signal instanceof Signal.End);
    }
    if (!isSkipped) {
      tell(signal);
    }
    boolean consumed = false;
    boolean more;
    synchronized (lock) {
      if (signal instanceof Signal.Events events) {
        consumed(events);
        consumed = true;
      }
      more = !queue.isEmpty();
      isScheduled = more;
    }
    if (consumed) {
      owner.consumed(this);
    }
    if (more) {
      owner.executeListener(this::step);
    }
  }

  private void consumed(Signal.Events events) {
    queuedBytes -= events.bytes();
    if (consumedEpoch != events.epoch()) {
      consumedEpoch = events.epoch();
      consumedBytes = 0;
    }
    consumedBytes += events.bytes();
  }

  @SuppressWarnings("CatchingUnchecked")
  private void tell(Signal signal) {
    try {
      if (signal instanceof Signal.Events events) {
        listener.events(events.events());
      } else if (signal instanceof Signal.Progress progress) {
        listener.progress(progress.revision());
      } else if (signal instanceof Signal.Started begins) {
        started.complete(begins.revision());
      } else if (signal instanceof Signal.End end) {
        started.cancel(false);
        try {
          listener.ended(end.end());
        } finally {
          ended.complete(end.end());
        }
      } else {
        throw new AssertionError("unknown signal " + signal);
      }
    } catch (Throwable bugOfTheListener) {
      // It is the application's, and must not stop the watches of others.
      LOG.error("the listener of a watch of {} failed", range, bugOfTheListener);
    }
  }

  /** What to give back now: a good part of the window, or all when nothing waits. On the loop. */
  long takeCredit() {
    synchronized (lock) {
      boolean isOfThisLink = consumedEpoch == epoch;
      boolean isMuch = consumedBytes >= windowBytes / 2;
      if (!isOfThisLink || consumedBytes == 0 || !(isMuch || queuedBytes == 0)) {
        return 0;
      }
      long credit = consumedBytes;
      consumedBytes = 0;
      return credit;
    }
  }

  /** For messages. */
  @Override
  public String toString() {
    return "watch of " + range + " from " + next;
  }

  /** What has arrived and may not be whole yet. */
  private static final class Pieces {
    private List<WatchEvent> events = new ArrayList<>();
    private long bytes;

    void add(List<Event> more, int moreBytes) {
      bytes += moreBytes;
      if (bytes > ProtocolLimits.WATCH_REVISION_BYTES_MAX) {
        throw new KvException.Rejected(
            KvException.Reason.TOO_LARGE,
            "the changes of one revision have more than "
                + ProtocolLimits.WATCH_REVISION_BYTES_MAX
                + " bytes");
      }
      for (Event event : more) {
        if (event.getType() == Event.Type.PREVIOUS && !events.isEmpty()) {
          WatchEvent before = events.remove(events.size() - 1);
          Optional<KeyValue> previous = Optional.of(Wire.fromProto(event.getPrevKv()));
          events.add(new WatchEvent(before.type(), before.keyValue(), previous));
        } else {
          events.add(WatchWire.fromProto(event));
        }
      }
    }

    List<WatchEvent> take() {
      List<WatchEvent> whole = events;
      clear();
      return whole;
    }

    /** The last one stays: a piece that consists of what was before it may follow. */
    List<WatchEvent> takeAllButTheLast() {
      List<WatchEvent> all = take();
      if (!all.isEmpty()) {
        events.add(all.remove(all.size() - 1));
      }
      return all;
    }

    void clear() {
      events = new ArrayList<>();
      bytes = 0;
    }
  }
}
