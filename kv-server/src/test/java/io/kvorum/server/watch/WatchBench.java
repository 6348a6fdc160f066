package io.kvorum.server.watch;

import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchOptions;
import io.kvorum.node.Lane;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Event;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.WatchCancelRequest;
import io.kvorum.protocol.WatchCreditRequest;
import io.kvorum.protocol.WatchEventsResponse;
import io.kvorum.protocol.WatchProgressRequest;
import io.kvorum.protocol.WatchProgressResponse;
import io.kvorum.protocol.WatchWire;
import io.kvorum.protocol.Wire;
import io.kvorum.server.store.HistoryLab;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/** A hub over a store, whose lanes run when the test says, and clients that are plain lists. */
final class WatchBench {
  final HistoryLab lab;
  final WatchHub hub;
  final QueuedLane watchLane = new QueuedLane();
  final QueuedLane loop = new QueuedLane();
  private long nextId = 1;

  WatchBench(WatchLimits limits) {
    this(limits, new HistoryLab(4));
  }

  WatchBench(WatchLimits limits, HistoryLab lab) {
    this.lab = lab;
    this.hub =
        new WatchHub(watchLane, loop, lab.history(), lab.machine().header().revision(), limits);
    lab.machine().feed(hub.feed());
    hub.serve(
        () -> true,
        failure -> {
          throw new AssertionError("the hub failed", failure);
        });
  }

  /** Until nothing is left to do. */
  void settle() {
    while (watchLane.runOne() || loop.runOne()) {
      // Both lanes in turn would be as good.
    }
  }

  Connection connect() {
    return new Connection();
  }

  /** Runs what it is given when it is told to. */
  static final class QueuedLane implements Lane {
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    boolean runOne() {
      Runnable next = tasks.poll();
      if (next != null) {
        next.run();
      }
      return next != null;
    }
  }

  /** One client's connection. */
  final class Connection implements FrameSink {
    final WatchStream stream = hub.open(this);
    final Map<Long, Received> watches = new LinkedHashMap<>();
    final List<WatchProgressResponse> progress = new ArrayList<>();
    int largestFrameBytes;
    private boolean isWritable = true;

    Received watch(KeyRange range, WatchOptions options, int windowBytes) {
      Received watch = new Received(this, nextId++, range, options);
      watches.put(watch.id, watch);
      stream.handle(
          frame(watch.id)
              .setWatchCreate(
                  WatchWire.request(range, options, options.fromRevision(), windowBytes))
              .build());
      return watch;
    }

    /** With a start that the options do not allow. */
    Received create(KeyRange range, long start) {
      Received watch = new Received(this, nextId++, range, WatchOptions.DEFAULT);
      watches.put(watch.id, watch);
      stream.handle(
          frame(watch.id)
              .setWatchCreate(WatchWire.request(range, watch.options, start, 1))
              .build());
      return watch;
    }

    void askProgress() {
      stream.handle(
          frame(nextId++).setWatchProgress(WatchProgressRequest.getDefaultInstance()).build());
    }

    void writable(boolean now) {
      isWritable = now;
      if (now) {
        stream.writable();
      }
    }

    @Override
    public boolean isWritable() {
      return isWritable;
    }

    @Override
    public void push(ServerFrame frame) {
      largestFrameBytes = Math.max(largestFrameBytes, frame.getSerializedSize());
      if (frame.hasWatchProgress()) {
        progress.add(frame.getWatchProgress());
        watches.values().forEach(watch -> watch.advanced(frame.getWatchProgress()));
      } else {
        watches.get(frame.getId()).received(frame);
      }
    }
  }

  /** What came for one watch. */
  static final class Received {
    final Connection connection;
    final long id;
    final KeyRange range;
    final WatchOptions options;
    final List<WatchEvent> events = new ArrayList<>();
    final List<WatchEvent> pieces = new ArrayList<>();
    int messages;
    long start;
    long through;
    long unconsumed;
    Optional<io.kvorum.protocol.Error> error = Optional.empty();
    boolean isCanceled;

    Received(Connection connection, long id, KeyRange range, WatchOptions options) {
      this.connection = connection;
      this.id = id;
      this.range = range;
      this.options = options;
    }

    void consume() {
      if (unconsumed > 0) {
        connection.stream.handle(
            frame(id)
                .setWatchCredit(WatchCreditRequest.newBuilder().setBytes((int) unconsumed))
                .build());
        unconsumed = 0;
      }
    }

    void cancel() {
      connection.stream.handle(
          frame(id).setWatchCancel(WatchCancelRequest.getDefaultInstance()).build());
    }

    void received(ServerFrame frame) {
      if (isCanceled || error.isPresent()) {
        throw new AssertionError("after its end: " + frame);
      }
      switch (frame.getBodyCase()) {
        case WATCH_CREATED -> {
          start = frame.getWatchCreated().getStartRevision();
          through = start - 1;
        }
        case WATCH_EVENTS -> events(frame.getWatchEvents());
        case WATCH_CANCELED -> isCanceled = true;
        case ERROR -> error = Optional.of(frame.getError());
        default -> throw new AssertionError("for a watch: " + frame);
      }
    }

    private void events(WatchEventsResponse message) {
      messages++;
      unconsumed += message.getSerializedSize();
      for (Event event : message.getEventsList()) {
        if (event.getType() == Event.Type.PREVIOUS) {
          WatchEvent last = pieces.remove(pieces.size() - 1);
          KeyValue previous = Wire.fromProto(event.getPrevKv());
          pieces.add(new WatchEvent(last.type(), last.keyValue(), Optional.of(previous)));
        } else {
          pieces.add(WatchWire.fromProto(event));
        }
      }
      if (message.getFragment()) {
        return;
      }
      if (message.getRevision() <= through || pieces.isEmpty()) {
        throw new AssertionError("at " + through + " came nothing new: " + message);
      }
      for (WatchEvent event : pieces) {
        if (event.revision() > message.getRevision()) {
          throw new AssertionError("ahead of its own revision: " + message);
        }
      }
      events.addAll(pieces);
      pieces.clear();
      through = message.getRevision();
    }

    void advanced(WatchProgressResponse told) {
      boolean isBehind = told.getBehindList().contains(id);
      if (start > 0 && !isBehind && error.isEmpty() && !isCanceled) {
        through = Math.max(through, told.getRevision());
      }
    }

    /** What it should get of all this, up to a revision. */
    List<WatchEvent> wanted(List<WatchEvent> all, long to) {
      return all.stream()
          .filter(event -> event.revision() >= start && event.revision() <= to)
          .filter(event -> range.contains(event.keyValue().key()))
          .filter(event -> event.type() == WatchEvent.Type.PUT ? options.puts() : options.deletes())
          .toList();
    }
  }

  private static ClientFrame.Builder frame(long id) {
    return ClientFrame.newBuilder().setId(id);
  }
}
