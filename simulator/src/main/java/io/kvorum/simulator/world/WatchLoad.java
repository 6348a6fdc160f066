package io.kvorum.simulator.world;

import io.kvorum.api.KeyRange;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import io.kvorum.simulator.trace.KeyChange;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.WatchSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What clients watch: each opens a few watches, in the past, the present and the future, closes
 * some, and writes down all that it hears.
 */
final class WatchLoad {
  private static final int OPEN_MAX = 3;
  private static final long ASK_NANOS = 1_000_000_000L;
  private static final long THINK_NANOS_MAX = 1_500_000_000L;

  private final World world;
  private final List<Watching> open = new ArrayList<>();
  private int opened;
  private boolean over;

  WatchLoad(World world) {
    this.world = world;
  }

  /** All clients start to watch. */
  void begin(List<SimClient> clients) {
    clients.forEach(client -> new Watcher(client).think());
  }

  /** No watch is opened or closed any more; those that are open go on. */
  void end() {
    over = true;
  }

  /** Has every open watch say how far it is, again and again. */
  void askAll() {
    open.forEach(watching -> watching.watch.requestProgress());
    world.time().after(ASK_NANOS, this::askAll);
  }

  /** The first open watch that does not know of this revision, or "". */
  String behind(long revision) {
    for (Watching watching : open) {
      if (!watching.isOver && watching.isBehind(revision)) {
        return "watch %d of %s, %s, is at %d of %d"
            .formatted(
                watching.number,
                watching.client.name(),
                watching.watch,
                watching.through,
                revision);
      }
    }
    return "";
  }

  /** The part of a client's application that watches. */
  private final class Watcher {
    private final SimClient client;
    private final SplittableRandom random;
    private final List<Watching> own = new ArrayList<>();

    Watcher(SimClient client) {
      this.client = client;
      this.random = world.streams().of("watcher of " + client.name());
    }

    void think() {
      world.time().after(random.nextLong(THINK_NANOS_MAX), this::act);
    }

    private void act() {
      if (over) {
        return;
      }
      if (own.size() >= OPEN_MAX || (!own.isEmpty() && random.nextInt(4) == 0)) {
        own.remove(random.nextInt(own.size())).close();
      } else {
        own.add(new Watching(client, range(), options()));
      }
      think();
    }

    private KeyRange range() {
      int keys = world.options().keys();
      int from = random.nextInt(keys);
      return switch (random.nextInt(3)) {
        case 0 -> KeyRange.all();
        case 1 -> KeyRange.single(Workload.key(from));
        default ->
            KeyRange.of(Workload.key(from), Workload.key(from + 1 + random.nextInt(keys - from)));
      };
    }

    private WatchOptions options() {
      long newest = world.chronicle().newest();
      long from =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> newest + random.nextInt(5);
            default -> 1 + random.nextLong(newest);
          };
      int filter = random.nextInt(6);
      boolean previous = random.nextBoolean();
      boolean progress = random.nextBoolean();
      return new WatchOptions(from, previous, filter != 0, filter != 1, progress, filter == 2);
    }
  }

  /** One watch, with someone who writes down what it says. */
  private final class Watching implements WatchListener {
    private final SimClient client;
    private final int number = ++opened;
    private final Watch watch;
    private final long from;
    private final List<KeyChange> fragments = new ArrayList<>();
    private long through;
    private boolean isClosed;
    private boolean isOver;

    Watching(SimClient client, KeyRange range, WatchOptions options) {
      this.client = client;
      this.from = options.fromRevision();
      tell(
          new WatchSignal.Opened(
              range,
              options.fromRevision(),
              options.previous(),
              options.puts(),
              options.deletes()));
      open.add(this);
      watch = client.client().watch(range, options, this);
      var unused =
          watch
              .started()
              .whenComplete(
                  (revision, closed) -> {
                    if (revision != null) {
                      tell(new WatchSignal.Began(revision));
                    }
                  });
    }

    /** One that watches from later on has only to be accepted. */
    boolean isBehind(long revision) {
      return !watch.started().isDone() || (from <= revision && through < revision);
    }

    void close() {
      isClosed = true;
      open.remove(this);
      watch.close();
    }

    private void tell(WatchSignal signal) {
      Journal journal = world.journal();
      journal.tell(new SimEvent.Watched(journal.now(), client.number(), number, signal));
    }

    /** Puts together what comes in fragments: nothing of a revision is missing or comes twice. */
    @Override
    public void events(WatchEvents events) {
      events.events().stream().map(KeyChange::of).forEach(fragments::add);
      if (!events.isFragment()) {
        through = events.revision();
        tell(new WatchSignal.Heard(events.revision(), List.copyOf(fragments)));
        fragments.clear();
      }
    }

    @Override
    public void progress(long revision) {
      through = revision;
      tell(new WatchSignal.Progressed(revision));
    }

    @Override
    public void ended(WatchEnd end) {
      isOver = true;
      long compactRevision =
          end instanceof WatchEnd.Compacted compacted ? compacted.compactRevision() : 0;
      tell(new WatchSignal.Ended(isClosed, end.toString(), compactRevision));
    }
  }
}
