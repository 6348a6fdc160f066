package io.kvorum.client;

import io.kvorum.api.KeptLease;
import io.kvorum.api.KvException;
import io.kvorum.api.LeaseListener;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.client.port.Loop;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews leases, all that are due in one request, until their holders let them go or they are lost.
 *
 * <p>Each lease has a deadline by this process's monotonic clock: when the newest renewal that
 * succeeded was sent, plus the time to live that the answer named. The cluster counts from a later
 * moment, so it cannot have ended the lease before. Whatever happens to connections and leaders, at
 * the deadline the lease counts as lost here, and its holder is told, once (FAULTS F127, F132). An
 * answer that comes later changes nothing.
 *
 * <p>Renewals do not pass the executor for callbacks: a slow listener holds up nobody's lease. All
 * state belongs to the loop, but for what {@link Kept} says.
 */
final class LeaseKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

  /** A lease is renewed so often in its time: two renewals may fail. */
  private static final int RENEWALS_PER_TTL = 3;

  /** What is due so soon goes with what is due now: so leases of one client fall into step. */
  private static final int EARLY_PER_TTL = 10;

  /** Until a lease's time is known, and after a failed renewal. */
  private static final long RETRY_NANOS = 500_000_000;

  /**
   * By how much the own clock may be slower than the leader's: so much earlier a lease counts as
   * lost here. See docs/adr/0010.
   */
  private static final int CLOCK_MARGIN_PERMILLE = 25;

  private static final String CLIENT_CLOSED = "the client was closed";

  /** Of one request. */
  private static final int IDS_MAX = 10_000;

  private final Loop loop;
  private final Executor callbacks;
  private final long patienceNanos;
  private final Consumer<Call<List<LeaseRenewal>>> submit;
  private final Set<Kept> all = new LinkedHashSet<>();
  private Loop.@Nullable Timer timer;
  private boolean over;

  /**
   * A keeper of nothing.
   *
   * @param patienceNanos how long a request may take, and how long the first renewal of a lease
   * @param submit sends a call, which comes back completed on the loop
   */
  LeaseKeeper(
      Loop loop,
      Executor callbacks,
      long patienceNanos,
      Consumer<Call<List<LeaseRenewal>>> submit) {
    this.loop = loop;
    this.callbacks = callbacks;
    this.patienceNanos = patienceNanos;
    this.submit = submit;
  }

  /** Begins to renew a lease. Any thread. */
  KeptLease keep(long id, LeaseListener listener) {
    if (id == 0) {
      throw new IllegalArgumentException("no lease has the id 0");
    }
    Kept kept = new Kept(id, listener, loop.nanoTime() + patienceNanos);
    try {
      loop.execute(() -> add(kept));
    } catch (RejectedExecutionException closed) {
      LOG.debug("asked to keep a lease while the client closed", closed);
      tellLost(kept, CLIENT_CLOSED);
    }
    return kept;
  }

  /**
   * Ends all renewals. Every holder is told: it is seldom the one who closes the client, and others
   * get what it held as soon as the leases have ended. Any thread.
   */
  void close() {
    try {
      loop.execute(this::end);
    } catch (RejectedExecutionException closed) {
      LOG.debug("closed twice", closed);
    }
  }

  private void end() {
    over = true;
    cancelTimer();
    all.forEach(kept -> tellLost(kept, CLIENT_CLOSED));
    all.clear();
  }

  private void add(Kept kept) {
    if (over) {
      tellLost(kept, CLIENT_CLOSED);
      return;
    }
    if (kept.closed) {
      return;
    }
    kept.dueNanos = loop.nanoTime();
    all.add(kept);
    look();
  }

  /** Renews what is due, and gives up what is over; then waits for what comes next. */
  private void look() {
    cancelTimer();
    long now = loop.nanoTime();
    TreeMap<Long, List<Kept>> due = new TreeMap<>();
    for (Kept kept : List.copyOf(all)) {
      if (kept.closed) {
        all.remove(kept);
      } else if (kept.deadlineNanos - now <= 0) {
        lose(kept, "no renewal has succeeded in time; the last trouble: " + kept.trouble);
      } else if (!kept.underWay && kept.dueNanos - now <= kept.ttlNanos / EARLY_PER_TTL) {
        due.computeIfAbsent(kept.id, id -> new ArrayList<>()).add(kept);
      }
    }
    renew(due, now);
    schedule(now);
  }

  private void renew(NavigableMap<Long, List<Kept>> due, long now) {
    while (!due.isEmpty()) {
      TreeMap<Long, List<Kept>> batch = new TreeMap<>();
      while (batch.size() < IDS_MAX && !due.isEmpty()) {
        Map.Entry<Long, List<Kept>> next = due.pollFirstEntry();
        batch.put(next.getKey(), next.getValue());
      }
      long patience = patienceNanos;
      for (List<Kept> same : batch.values()) {
        for (Kept kept : same) {
          kept.underWay = true;
          patience = Math.min(patience, Math.max(RETRY_NANOS, kept.deadlineNanos - now));
        }
      }
      Call<List<LeaseRenewal>> call =
          Call.own(LeaseRequests.renew(List.copyOf(batch.keySet())), now + patience);
      var unused =
          call.future.whenComplete((renewals, failure) -> ended(batch, now, renewals, failure));
      submit.accept(call);
    }
  }

  private void ended(
      Map<Long, List<Kept>> batch,
      long sentNanos,
      @Nullable List<LeaseRenewal> renewals,
      @Nullable Throwable failure) {
    long now = loop.nanoTime();
    for (List<Kept> same : batch.values()) {
      same.forEach(kept -> kept.underWay = false);
    }
    if (renewals == null) {
      String trouble =
          String.valueOf(failure instanceof KvException ? failure.getMessage() : failure);
      for (List<Kept> same : batch.values()) {
        for (Kept kept : same) {
          kept.trouble = trouble;
          kept.dueNanos = now + Math.min(RETRY_NANOS, Math.max(1, kept.ttlNanos / 10));
        }
      }
    } else {
      renewals.forEach(renewal -> renewed(renewal, batch.get(renewal.id()), sentNanos));
    }
    if (!over) {
      look();
    }
  }

  private void renewed(LeaseRenewal renewal, @Nullable List<Kept> same, long sentNanos) {
    if (same == null) {
      throw new AssertionError("nobody asked for lease " + renewal.id());
    }
    for (Kept kept : same) {
      if (kept.closed) {
        continue;
      }
      if (!renewal.isAlive()) {
        lose(kept, "the cluster has no such lease: it has expired, or was revoked");
        continue;
      }
      // Saturated: a lease may live longer than nanoseconds count.
      kept.ttlNanos = Math.min(Long.MAX_VALUE / 4, nanos(renewal));
      kept.deadlineNanos = sentNanos + kept.ttlNanos - kept.ttlNanos / 1000 * CLOCK_MARGIN_PERMILLE;
      kept.dueNanos = sentNanos + kept.ttlNanos / RENEWALS_PER_TTL;
      confirm(kept);
    }
  }

  private void confirm(Kept kept) {
    if (!kept.confirmed) {
      kept.confirmed = true;
      callbacks.execute(
          () -> {
            if (!kept.released) {
              kept.listener.confirmed(kept.id);
            }
          });
    }
  }

  private static long nanos(LeaseRenewal renewal) {
    long millis = renewal.ttl().toMillis();
    return millis >= Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE : millis * 1_000_000;
  }

  private void lose(Kept kept, String why) {
    all.remove(kept);
    tellLost(kept, why);
  }

  private void tellLost(Kept kept, String why) {
    if (kept.closed) {
      return;
    }
    kept.closed = true;
    callbacks.execute(
        () -> {
          if (!kept.released) {
            kept.listener.lost(kept.id, why);
          }
        });
  }

  private void schedule(long now) {
    long next = Long.MAX_VALUE;
    for (Kept kept : all) {
      long wait = kept.deadlineNanos - now;
      if (!kept.underWay) {
        wait = Math.min(wait, kept.dueNanos - now);
      }
      next = Math.min(next, Math.max(0, wait));
    }
    if (next != Long.MAX_VALUE) {
      timer = loop.schedule(next, this::look);
    }
  }

  private void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** One lease with one listener. */
  private final class Kept implements KeptLease {
    private final long id;
    private final LeaseListener listener;

    /** Any thread reads it. */
    private volatile long deadlineNanos;

    /** Set once: by its holder, on any thread, or on the loop, when it is lost. */
    private volatile boolean closed;

    private volatile boolean released;

    private long ttlNanos;
    private long dueNanos;
    private boolean underWay;
    private boolean confirmed;
    private String trouble = "no answer yet";

    Kept(long id, LeaseListener listener, long deadlineNanos) {
      this.id = id;
      this.listener = listener;
      this.deadlineNanos = deadlineNanos;
    }

    @Override
    public long id() {
      return id;
    }

    @Override
    public boolean isAlive() {
      return !closed && deadlineNanos - loop.nanoTime() > 0;
    }

    @Override
    public void close() {
      released = true;
      closed = true;
    }
  }
}
