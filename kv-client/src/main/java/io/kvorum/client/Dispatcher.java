package io.kvorum.client;

import io.kvorum.api.KvException;
import io.kvorum.client.port.Connector;
import io.kvorum.client.port.Loop;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ErrorsWire;
import io.kvorum.protocol.HelloResponse;
import io.kvorum.protocol.ServerFrame;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings calls to the leader and their ends back: the whole logic of the client.
 *
 * <p>Calls come in through a queue and wait, in order, until a link to a leader can take them.
 * There is one such link, {@code active}. Without one, and only while calls wait, one link at a
 * time is opened to the endpoint that {@link Routes} names, until one greets us as the leader.
 *
 * <p>What happens to a call that was not answered with a result rests on one question: may the
 * server have executed it? Not if it was never given to a connection, or if the server says so;
 * such a call waits again, until its deadline. So does a read, and a command that has a number in a
 * session ({@link Numbering}), which the cluster executes once. Any other write ends with {@link
 * KvException.OutcomeUnknown} and is never sent a second time (FAULTS F102).
 *
 * <p>All state belongs to the loop, but for the queue and the flags that say so.
 */
final class Dispatcher implements Numbering.Sender {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  private final ClientConfig config;
  private final Loop loop;
  private final Connector connector;
  private final Completions completions;
  private final Routes routes;

  /** What callers have handed over; any thread adds, the loop takes. */
  private final Queue<Call<?>> inbox = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean drainScheduled = new AtomicBoolean();
  private final AtomicBoolean closing = new AtomicBoolean();

  /** Set before the loop empties the inbox for the last time. */
  private volatile boolean ended;

  private volatile SizeLimits limits = SizeLimits.DEFAULT;

  /** Whoever waits lets nobody overtake. */
  private final WaitingCalls waiting = new WaitingCalls();

  private final Numbering numbering;
  private final Pause pause;
  private final Deadlines deadlines = new Deadlines();
  private final Map<Endpoint, Link> links = new LinkedHashMap<>();
  private final Map<Endpoint, KvException.Rejected> foreign = new HashMap<>();
  private @Nullable Link active;
  private @Nullable Link candidate;
  private Loop.@Nullable Timer seekTimer;
  private Loop.@Nullable Timer deadlineTimer;
  private long deadlineTimerNanos;
  private String clusterId;
  private String trouble = "no endpoint was tried yet";
  private long nextId;

  /**
   * A dispatcher without connections; the first call makes it open one.
   *
   * @param firstId of the frames; later ones count up and may wrap
   */
  Dispatcher(
      ClientConfig config,
      Loop loop,
      Connector connector,
      Executor callbacks,
      Inflight inflight,
      RandomGenerator random,
      long firstId) {
    this.config = config;
    this.loop = loop;
    this.connector = connector;
    this.completions = new Completions(loop, callbacks, inflight);
    this.routes = new Routes(config.endpoints(), config.backoff(), random);
    this.clusterId = config.clusterId().orElse("");
    this.nextId = firstId;
    this.numbering = new Numbering(config, loop, this);
    this.pause = new Pause(config, loop, random, this::pump);
  }

  /** What the cluster accepts, as far as is known. Any thread. */
  SizeLimits limits() {
    return limits;
  }

  /** Takes a call that {@link Inflight} has counted. Any thread. */
  @Override
  public void submit(Call<?> call) {
    inbox.add(call);
    if (ended) {
      refuseInbox();
    } else if (drainScheduled.compareAndSet(false, true)) {
      try {
        loop.execute(this::drain);
      } catch (RejectedExecutionException closed) {
        LOG.debug("called while the client closed", closed);
        refuseInbox();
      }
    }
  }

  /**
   * After the end: each call is taken by exactly one thread, this one or that of another caller.
   */
  private void refuseInbox() {
    for (Call<?> call = inbox.poll(); call != null; call = inbox.poll()) {
      call.end(closed());
      completions.completeNow(call);
    }
  }

  /** Ends every call; then the loop. Any thread, more than once. */
  void close() {
    if (closing.compareAndSet(false, true)) {
      loop.execute(this::end);
    }
    loop.close();
  }

  private static KvException.Unavailable closed() {
    return new KvException.ClientClosed();
  }

  long nextId() {
    return nextId++;
  }

  /** Which cluster a Hello names; empty before the first cluster was met. */
  String clusterId() {
    return clusterId;
  }

  private void drain() {
    // Before the queue is read, so that whoever adds from now on schedules anew.
    drainScheduled.set(false);
    for (Call<?> call = inbox.poll(); call != null; call = inbox.poll()) {
      if (ended) {
        end(call, closed());
      } else {
        accept(call);
      }
    }
    pump();
  }

  private void accept(Call<?> call) {
    deadlines.add(call);
    if (deadlineTimer == null || call.deadlineNanos - deadlineTimerNanos < 0) {
      // Of calls that have all the same time, only the first of many gets here.
      cancel(deadlineTimer);
      awaitDeadline(call);
    }
    Endpoint pinned = call.pinned;
    if (pinned == null) {
      waiting.accept(call);
      return;
    }
    Link link = linkTo(pinned);
    if (link.isReady()) {
      link.send(call);
    } else {
      link.keep(call);
    }
  }

  private Link linkTo(Endpoint endpoint) {
    Link link = links.get(endpoint);
    if (link == null) {
      LOG.debug("connecting to {}", endpoint);
      link = new Link(this, endpoint, loop, connector, config);
      links.put(endpoint, link);
    }
    return link;
  }

  /** Sends what waits as far as it can go, and sees to it that it can go further later. */
  @Override
  public void pump() {
    if (closing.get() || waiting.isEmpty()) {
      return;
    }
    Link link = active;
    if (link == null) {
      seek();
      return;
    }
    while (!pause.isOn() && !waiting.isEmpty() && link.isWritable()) {
      Call<?> call = waiting.first();
      KvException rejected = limits.check(call.request);
      if (rejected != null) {
        waiting.remove(call);
        finish(call, call.givenUp(rejected));
      } else if (call.future.isDone()) {
        // Its caller cancelled it before it was sent: nobody wants it executed any more.
        waiting.remove(call);
        finish(call, closed());
      } else if (numbering.maySend(call, link)) {
        waiting.remove(call);
        link.send(call);
      } else {
        return;
      }
    }
  }

  /** Calls wait and nobody known leads: tries one endpoint, or waits until one may be tried. */
  private void seek() {
    if (candidate != null || seekTimer != null) {
      return;
    }
    long now = loop.nanoTime();
    Endpoint endpoint = routes.next(now);
    if (endpoint == null) {
      seekTimer = loop.schedule(routes.waitNanos(now), this::seekAgain);
      return;
    }
    Link link = linkTo(endpoint);
    if (link.isReady()) {
      // Connected for another reason. What its Hello said of the leader is old; an answer will
      // tell.
      active = link;
      pump();
    } else {
      candidate = link;
    }
  }

  private void seekAgain() {
    seekTimer = null;
    pump();
  }

  /** The server has answered the Hello. */
  void greeted(Link link, HelloResponse hello) {
    KvException.Rejected mismatch = Hello.mismatch(link.endpoint, hello, clusterId);
    if (mismatch != null) {
      notOurs(link, mismatch);
      return;
    }
    clusterId = hello.getClusterId();
    limits = SizeLimits.of(hello.getLimits());
    foreign.remove(link.endpoint);
    Endpoint leader = Routes.advertised(hello.getLeader().getEndpoint());
    link.takeUnsent().forEach(link::send);
    if (link == candidate) {
      candidate = null;
      if (hello.getLeader().getNodeId().equals(hello.getNodeId())) {
        active = link;
      } else {
        trouble = link.endpoint + ": is not the leader";
        notLeading(link, leader);
      }
    }
    pump();
  }

  /** The server refuses the Hello. */
  void refused(Link link, Error error) {
    KvException why = ErrorsWire.toException(error);
    if (why instanceof KvException.Rejected rejected) {
      notOurs(link, rejected);
    } else {
      lost(link, "refused the Hello: " + why.getMessage(), false);
    }
  }

  /** Talking to this server is wrong. When that goes for every server we were told, calls end. */
  private void notOurs(Link link, KvException.Rejected rejected) {
    foreign.put(link.endpoint, rejected);
    link.takeUnsent().forEach(call -> finish(call, rejected));
    if (foreign.keySet().containsAll(routes.configured())) {
      giveUpWaiting(rejected);
    }
    lost(link, String.valueOf(rejected.getMessage()), false);
  }

  /** The link has ended, or has to. */
  void lost(Link link, String reason, boolean timedOut) {
    link.close();
    links.remove(link.endpoint, link);
    active = active == link ? null : active;
    candidate = candidate == link ? null : candidate;
    trouble = link.endpoint + ": " + reason;
    LOG.debug("lost {}: {}", link.endpoint, reason);
    routes.failed(link.endpoint, timedOut, loop.nanoTime());
    for (Call<?> call : link.takeUnsent()) {
      finish(call, new KvException.Unavailable(trouble));
    }
    for (Call<?> call : link.takeSent()) {
      if (call.session != null) {
        call.mayBeExecuted = true;
        waiting.add(call);
      } else if (call.request.isWrite()) {
        finish(
            call,
            new KvException.OutcomeUnknown("it was sent, then the connection ended: " + trouble));
      } else if (call.pinned != null) {
        finish(call, new KvException.Unavailable(trouble));
      } else {
        waiting.add(call);
      }
    }
    pump();
  }

  /** A server says where the members are now. */
  void members(List<String> advertised) {
    routes.members(advertised);
  }

  /** The link takes more. */
  void writable(Link link) {
    if (link == active) {
      pump();
    }
  }

  /** The server has answered a call. */
  void answered(Link link, Call<?> call, ServerFrame frame) {
    if (frame.getBodyCase() == ServerFrame.BodyCase.ERROR) {
      failed(link, call, frame.getError());
    } else {
      if (link == active && call.pinned == null) {
        routes.succeeded(link.endpoint);
        pause.succeeded();
      }
      deadlines.remove(call);
      call.end(frame);
      completions.add(call);
      pump();
    }
    retire(link);
  }

  private void failed(Link link, Call<?> call, Error error) {
    KvException why = ErrorsWire.toException(error);
    boolean leads =
        switch (error.getReason()) {
          case NOT_LEADER, SHUTTING_DOWN, LEADERSHIP_LOST -> false;
          default -> true;
        };
    // Many calls come back from a link at once. Only the first moves us; when the others come, we
    // may already know better than what they say.
    if (!leads && link == active) {
      notLeading(link, Routes.advertised(error.getLeader().getEndpoint()));
    }
    boolean harmless = why instanceof KvException.Unavailable || !call.request.isWrite();
    if (why instanceof KvException.Rejected rejected) {
      rejected(call, rejected);
      return;
    }
    boolean isFinal = call.pinned != null || why instanceof KvException.NoSpace;
    if (isFinal || (!harmless && call.session == null)) {
      finish(call, call.givenUp(why));
      return;
    }
    call.mayBeExecuted |= !harmless;
    call.refusal = why;
    waiting.add(call);
    if (leads) {
      pause.begin(why instanceof KvException.Overloaded busy ? busy.retryAfter() : Duration.ZERO);
    } else {
      trouble = link.endpoint + ": " + why.getMessage();
    }
    pump();
  }

  private void rejected(Call<?> call, KvException.Rejected why) {
    Numbering.Session session = call.session;
    if (session == null || why.reason() != KvException.Reason.SESSION_EXPIRED) {
      finish(call, why);
    } else {
      numbering.expired(session);
      if (call.mayBeExecuted) {
        String gone = "it was sent, and its session has ended before it was answered: ";
        finish(call, new KvException.OutcomeUnknown(gone + why.getMessage()));
      } else {
        // Sent once, and this is the answer. It begins anew in the next session.
        call.session = null;
        waiting.add(call);
      }
    }
    pump();
  }

  /** Somebody else leads, or nobody does for the moment. */
  private void notLeading(Link link, @Nullable Endpoint leader) {
    active = null;
    routes.failed(link.endpoint, false, loop.nanoTime());
    if (leader != null && !leader.equals(link.endpoint)) {
      routes.leader(leader);
    }
    // What may be stale need not wait until somebody leads.
    waiting.takeStale().forEach(link::send);
    retire(link);
  }

  /** Closes a link that no call needs. */
  private void retire(Link link) {
    if (link != active && link != candidate && link.isIdle()) {
      link.close();
      links.remove(link.endpoint, link);
    }
  }

  private void awaitDeadline(Call<?> call) {
    long delay = Math.max(0, call.deadlineNanos - loop.nanoTime());
    deadlineTimer = loop.schedule(delay, this::expire);
    deadlineTimerNanos = call.deadlineNanos;
  }

  private void expire() {
    deadlineTimer = null;
    long now = loop.nanoTime();
    for (Call<?> call = deadlines.first(); call != null; call = deadlines.first()) {
      if (call.deadlineNanos - now > 0) {
        awaitDeadline(call);
        break;
      }
      Link link = call.link;
      boolean sent = link != null && link.release(call);
      waiting.remove(call);
      finish(call, call.timedOut(sent, trouble));
      if (link != null) {
        retire(link);
      }
    }
    pump();
  }

  private void giveUpWaiting(KvException why) {
    waiting.takeAll().forEach(call -> finish(call, call.givenUp(why)));
  }

  /** Ends a call that was accepted and is in no other list any more. */
  private void finish(Call<?> call, KvException why) {
    deadlines.remove(call);
    end(call, why);
  }

  private void end(Call<?> call, KvException why) {
    call.end(why);
    completions.add(call);
  }

  private void end() {
    ended = true;
    cancel(seekTimer);
    pause.cancel();
    cancel(deadlineTimer);
    ClientFrame.Builder farewell = numbering.end();
    if (farewell != null && active != null) {
      active.tell(farewell);
    }
    for (Link link : List.copyOf(links.values())) {
      lost(link, "the client was closed", false);
    }
    giveUpWaiting(closed());
    drain();
    completions.flush();
  }

  private static void cancel(Loop.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }
}
