package io.kvorum.client;

import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.port.Connector;
import io.kvorum.client.port.Loop;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ErrorsWire;
import io.kvorum.protocol.HelloResponse;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.WatchEventsResponse;
import io.kvorum.protocol.WatchProgressResponse;
import io.kvorum.protocol.WatchWire;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the watches of a client going.
 *
 * <p>All of them share one connection, apart from that for calls: so a long range read delays no
 * event, and any member will do, whoever leads (FAULTS F121). When it ends they go on together, on
 * the member that {@link Routes} names next, each from the first revision that it has not got
 * whole. A member that is not that far yet waits until it is; so nothing comes twice and nothing
 * goes back (FAULTS F117). How often is tried is bounded for each member (FAULTS F108).
 *
 * <p>All state belongs to the loop, but for the set of those that must hear of the client's end.
 */
final class Watches {
  private static final Logger LOG = LoggerFactory.getLogger(Watches.class);

  private static final long PROGRESS_NANOS = Duration.ofSeconds(5).toNanos();

  /** Answers in a row that know no leader, about one a second; then another member may know one. */
  private static final int LEADERLESS_MAX = 3;

  private final ClientConfig config;
  private final Loop loop;
  private final Connector connector;
  private final Executor listeners;
  private final RandomGenerator random;
  private final Supplier<String> cluster;
  private final Routes routes;
  private final Set<EndsWithClient> alive = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private final Set<RemoteWatch> watches = new LinkedHashSet<>();
  private final Map<Long, RemoteWatch> byId = new HashMap<>();
  private final Map<Endpoint, KvException.Rejected> foreign = new HashMap<>();
  private @Nullable WatchLink link;

  /** Where the last watch was served well, and where the next one begins. */
  private @Nullable Endpoint home;

  private Loop.@Nullable Timer seekTimer;
  private String clusterMet = "";
  private int leaderless;
  private int overloads;

  /**
   * Without connections; the first watch makes it open one.
   *
   * @param cluster the cluster that the calls of this client have met; empty: none yet
   */
  Watches(
      ClientConfig config,
      Loop loop,
      Connector connector,
      Executor listeners,
      RandomGenerator random,
      Supplier<String> cluster) {
    this.config = config;
    this.loop = loop;
    this.connector = connector;
    this.listeners = listeners;
    this.random = random;
    this.cluster = cluster;
    this.routes = new Routes(config.endpoints(), config.backoff(), random);
  }

  /** Begins a watch. Any thread. */
  RemoteWatch open(KeyRange range, WatchOptions options, WatchListener listener) {
    RemoteWatch watch = new RemoteWatch(this, range, options, listener, config.watchWindowBytes());
    if (enter(watch)) {
      execute(() -> add(watch));
    }
    return watch;
  }

  /** From now on it hears of the client's end; false if that is already so. Any thread. */
  boolean enter(EndsWithClient watch) {
    alive.add(watch);
    if (closed) {
      alive.remove(watch);
      watch.clientClosed();
      return false;
    }
    return true;
  }

  void leave(EndsWithClient watch) {
    alive.remove(watch);
  }

  /** Runs a task after a wait that grows with the failures; not once the client is closed. */
  void later(int failures, Runnable task) {
    execute(() -> loop.schedule(config.backoff().delayNanos(failures, random), task));
  }

  private void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException over) {
      LOG.debug("asked while the client closes", over);
    }
  }

  /** Runs a step of a listener. Any thread. */
  void executeListener(Runnable step) {
    listeners.execute(step);
  }

  /** Ends every watch, then the connection. Any thread, more than once. */
  void close() {
    closed = true;
    alive.forEach(EndsWithClient::clientClosed);
    alive.clear();
    execute(
        () -> {
          watches.clear();
          closeLink();
        });
  }

  /** The application, or the server, wants no more of it. Any thread. */
  void close(RemoteWatch watch, WatchEnd why) {
    leave(watch);
    watch.end(why);
    execute(() -> remove(watch));
  }

  private void remove(RemoteWatch watch) {
    watches.remove(watch);
    WatchLink open = link;
    if (open != null && byId.remove(watch.id) != null) {
      open.cancel(watch.id);
    }
    watch.detached();
    if (watches.isEmpty()) {
      home = open != null && open.isReady() ? open.endpoint : null;
      closeLink();
    }
  }

  private void closeLink() {
    if (link != null) {
      link.close();
      link = null;
    }
    byId.clear();
    if (seekTimer != null) {
      seekTimer.cancel();
      seekTimer = null;
    }
  }

  void requestProgress(RemoteWatch watch) {
    execute(
        () -> {
          watch.isProgressWanted = true;
          WatchLink open = link;
          if (open != null && open.isReady()) {
            open.askProgress();
          }
        });
  }

  /** The listener has consumed something. Any thread. */
  void consumed(RemoteWatch watch) {
    execute(() -> giveCredit(watch));
  }

  private void giveCredit(RemoteWatch watch) {
    WatchLink open = link;
    if (open == null || !open.isReady() || !watches.contains(watch)) {
      return;
    }
    if (watch.id == 0) {
      create(watch, open);
      return;
    }
    long credit = watch.takeCredit();
    if (credit > 0) {
      open.credit(watch.id, credit);
    }
  }

  private void add(RemoteWatch watch) {
    if (closed || !alive.contains(watch)) {
      return;
    }
    watches.add(watch);
    watch.toldNanos = loop.nanoTime();
    WatchLink open = link;
    if (open != null && open.isReady()) {
      create(watch, open);
    } else {
      seek();
    }
  }

  /** Begins, or goes on, on this link; or not yet, if its listener has too much left to hear. */
  private void create(RemoteWatch watch, WatchLink on) {
    int room = watch.room();
    if (room < config.watchWindowBytes() / 2) {
      return;
    }
    watch.attached(on.create(WatchWire.request(watch.range, watch.options, watch.next, room)));
    byId.put(watch.id, watch);
  }

  private void seek() {
    if (closed || link != null || seekTimer != null || watches.isEmpty()) {
      return;
    }
    long now = loop.nanoTime();
    Endpoint endpoint = home != null ? home : routes.next(now);
    if (endpoint == null) {
      seekTimer = loop.schedule(routes.waitNanos(now), this::seekAgain);
      return;
    }
    LOG.debug("connecting to {} for {} watches", endpoint, watches.size());
    leaderless = 0;
    link = new WatchLink(this, endpoint, loop, connector, config, clusterId());
  }

  private void seekAgain() {
    seekTimer = null;
    seek();
  }

  private String clusterId() {
    return cluster.get().isEmpty() ? clusterMet : cluster.get();
  }

  /** The server has answered the Hello. */
  void greeted(WatchLink on, HelloResponse hello) {
    String expected = clusterId();
    if (hello.getProtocolVersion() != ProtocolLimits.PROTOCOL_VERSION) {
      notOurs(
          on,
          KvException.Reason.UNSUPPORTED,
          on.endpoint + " speaks version " + hello.getProtocolVersion() + " of the protocol");
    } else if (!expected.isEmpty() && !expected.equals(hello.getClusterId())) {
      notOurs(
          on,
          KvException.Reason.WRONG_CLUSTER,
          on.endpoint + " belongs to cluster " + hello.getClusterId() + ", not to " + expected);
    } else {
      clusterMet = hello.getClusterId();
      foreign.remove(on.endpoint);
      List.copyOf(watches).forEach(watch -> create(watch, on));
    }
  }

  /** The server refuses the Hello. */
  void refused(WatchLink on, Error error) {
    KvException why = ErrorsWire.toException(error);
    if (why instanceof KvException.Rejected rejected) {
      notOurs(on, rejected.reason(), String.valueOf(rejected.getMessage()));
    } else {
      lost(on, "refused the Hello: " + why.getMessage(), false);
    }
  }

  /** Talking to this server is wrong. When that goes for every server we were told, watches end. */
  private void notOurs(WatchLink on, KvException.Reason reason, String message) {
    KvException.Rejected why = new KvException.Rejected(reason, message);
    foreign.put(on.endpoint, why);
    if (foreign.keySet().containsAll(routes.configured())) {
      List.copyOf(watches).forEach(watch -> close(watch, new WatchEnd.Rejected(why)));
      watches.clear();
    }
    lost(on, message, false);
  }

  /** The link has ended, or has to; its watches go on elsewhere. */
  void lost(WatchLink which, String reason, boolean timedOut) {
    which.close();
    if (which != link) {
      return;
    }
    LOG.debug("lost {}: {}", which.endpoint, reason);
    routes.failed(which.endpoint, timedOut, loop.nanoTime());
    home = null;
    closeLink();
    watches.forEach(RemoteWatch::detached);
    seek();
  }

  /** A server says where the members are now. */
  void members(List<String> advertised) {
    routes.members(advertised);
  }

  /** A frame that is no answer to the Hello. */
  void received(WatchLink on, ServerFrame frame) {
    if (frame.hasWatchProgress()) {
      progress(on, frame.getWatchProgress());
      return;
    }
    RemoteWatch watch = byId.get(frame.getId());
    if (watch == null) {
      // It was closed, and the server did not know yet.
      return;
    }
    switch (frame.getBodyCase()) {
      case WATCH_CREATED -> {
        overloads = 0;
        watch.created(frame.getWatchCreated().getStartRevision());
      }
      case WATCH_EVENTS -> events(on, watch, frame.getWatchEvents());
      case ERROR -> failed(on, watch, frame.getError());
      default -> lost(on, "answered a watch with " + frame.getBodyCase(), false);
    }
  }

  private void events(WatchLink on, RemoteWatch watch, WatchEventsResponse events) {
    try {
      long credit = watch.arrived(events, events.getSerializedSize());
      watch.toldNanos = loop.nanoTime();
      if (credit > 0) {
        on.credit(watch.id, credit);
      }
    } catch (KvException.Rejected tooLarge) {
      // It would be as large elsewhere: to go on there would be to try for ever (FAULTS F121).
      close(watch, new WatchEnd.Rejected(tooLarge));
    } catch (IllegalArgumentException malformed) {
      lost(on, "sent " + malformed.getMessage(), false);
    }
  }

  private void failed(WatchLink on, RemoteWatch watch, Error error) {
    KvException why = ErrorsWire.toException(error);
    if (why instanceof KvException.Overloaded) {
      byId.remove(watch.id);
      watch.detached();
      if (overloads == 0) {
        LOG.warn(
            "{} takes no more watches now; {} waits until it does: {}", on.endpoint, watch, why);
      }
      overloads = Math.min(overloads + 1, 64);
      later(overloads, () -> giveCredit(watch));
    } else if (why instanceof KvException.Rejected rejected) {
      // The server has forgotten it already.
      byId.remove(watch.id);
      close(
          watch,
          rejected instanceof KvException.Compacted compacted
              ? new WatchEnd.Compacted(watch.next, compacted.compactRevision())
              : new WatchEnd.Rejected(rejected));
    } else {
      lost(on, String.valueOf(why.getMessage()), false);
    }
  }

  /** All that was created before, and is not named, has everything up to there. */
  private void progress(WatchLink on, WatchProgressResponse progress) {
    routes.succeeded(on.endpoint);
    Set<Long> behind = new HashSet<>(progress.getBehindList());
    long now = loop.nanoTime();
    for (RemoteWatch watch : watches) {
      if (watch.isCreated && !behind.contains(watch.id)) {
        boolean isDue = watch.options.progress() && now - watch.toldNanos >= PROGRESS_NANOS;
        if (watch.advanced(progress.getRevision()) && (isDue || watch.isProgressWanted)) {
          watch.tellProgress(progress.getRevision(), now);
        }
      }
    }
    leaderless = progress.getHasLeader() ? 0 : leaderless + 1;
    if (leaderless >= LEADERLESS_MAX && routes.configured().size() > 1) {
      lost(on, "knows no leader", false);
    }
  }
}
