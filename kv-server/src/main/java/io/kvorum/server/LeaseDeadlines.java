package io.kvorum.server;

import io.kvorum.server.store.LeaseChange;
import io.kvorum.server.store.LeaseKind;
import io.kvorum.server.store.LeaseRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * When leases end, by the leader's monotonic clock. Every member keeps this, so that a new leader
 * has it at once; only a leader acts by it. Belongs to the node's loop.
 *
 * <p>docs/adr/0010 says why no lease ends early by it. In short: a lease's time begins when the
 * leader has applied what granted or renewed it, which is after its holder has asked for that; and
 * what ends it is an entry that names that renewal, so a later one that this leader has not heard
 * of yet has it refused.
 *
 * <p>Time is counted while the node is awake: of the time between two looks no more than {@value
 * #AWAKE_NANOS_MAX} ns count. Who has slept longer has not heard the renewals that came meanwhile;
 * and a clock that jumps does little harm.
 */
final class LeaseDeadlines {
  /** By how many thousandths a clock may be fast: so much longer is waited. */
  private static final int CLOCK_MARGIN_PERMILLE = 25;

  /** When so much of a lease's time has passed, or half of it, the rest is written down. */
  private static final long CHECKPOINT_MILLIS = 60_000;

  /** Less than this is not worth an entry. */
  private static final long CHECKPOINT_MILLIS_MIN = 1_000;

  /** A look is expected twice in this time. */
  private static final long AWAKE_NANOS_MAX = 200_000_000;

  private static final long MILLI_NANOS = 1_000_000;

  /** Beyond what nanoseconds can count nothing ends. */
  private static final long MILLIS_MAX = Long.MAX_VALUE / 4 / MILLI_NANOS;

  private static final class Lease {
    private final long id;
    private LeaseRow row;
    private long deadlineNanos;

    /** When something is to be done about it. */
    private long dueNanos;

    /** An entry about it is on its way. */
    private boolean isProposed;

    Lease(long id, LeaseRow row) {
      this.id = id;
      this.row = row;
    }

    long id() {
      return id;
    }

    long dueNanos() {
      return dueNanos;
    }
  }

  /**
   * What may be proposed.
   *
   * @param row of the lease: the renewal that is the last one as far as is known here
   */
  record Expiry(long id, LeaseRow row) {}

  private final long graceNanos;
  private final Map<Long, Lease> leases = new HashMap<>();
  private final TreeSet<Lease> byDue =
      new TreeSet<>(Comparator.comparingLong(Lease::dueNanos).thenComparingLong(Lease::id));
  private long lastLookNanos;
  private long awakeNanos;

  /**
   * No leases yet.
   *
   * @param nowNanos of the clock that all other times come from
   * @param graceNanos what a new leader gives each lease on top: holders have to find it first
   */
  LeaseDeadlines(long nowNanos, long graceNanos) {
    this.graceNanos = graceNanos;
    this.lastLookNanos = nowNanos;
  }

  /** Moves its time on. */
  void look(long nowNanos) {
    awakeNanos += Math.max(0, Math.min(nowNanos - lastLookNanos, AWAKE_NANOS_MAX));
    lastLookNanos = nowNanos;
  }

  /** Takes what has been applied. */
  void apply(List<LeaseChange> changes) {
    for (LeaseChange change : changes) {
      Lease lease = leases.get(change.id());
      LeaseRow row = change.row();
      if (lease != null) {
        byDue.remove(lease);
      }
      if (row == null) {
        leases.remove(change.id());
        continue;
      }
      boolean isRenewed = lease == null || lease.row.renewedIndex() != row.renewedIndex();
      if (lease == null) {
        lease = new Lease(change.id(), row);
        leases.put(change.id(), lease);
      }
      lease.row = row;
      if (isRenewed) {
        lease.deadlineNanos = awakeNanos + nanos(row.remainingMillis());
      }
      enter(lease);
    }
  }

  /** The node has begun to lead: all leases begin anew, with what is known to be left of them. */
  void lead() {
    byDue.clear();
    for (Lease lease : leases.values()) {
      lease.isProposed = false;
      lease.deadlineNanos = awakeNanos + nanos(lease.row.remainingMillis()) + graceNanos;
      enter(lease);
    }
  }

  private static long nanos(long millis) {
    long counted = Math.min(millis, MILLIS_MAX / 2) * MILLI_NANOS;
    return counted + counted / 1000 * CLOCK_MARGIN_PERMILLE;
  }

  /** The other way: a leader that counts from this does not end the lease earlier. */
  private static long millis(long nanos) {
    return nanos / (1000 + CLOCK_MARGIN_PERMILLE) * 1000 / MILLI_NANOS;
  }

  private void enter(Lease lease) {
    long known = lease.row.remainingMillis();
    // Of idempotency keys there may be a great many, and nobody minds one that lives longer.
    boolean isRough = lease.row.kind() == LeaseKind.IDEMPOTENCY;
    long rest = known - (isRough ? known / 2 : Math.min(known / 2, CHECKPOINT_MILLIS));
    lease.dueNanos = lease.deadlineNanos;
    if (rest >= CHECKPOINT_MILLIS_MIN) {
      lease.dueNanos -= nanos(rest);
    }
    byDue.add(lease);
  }

  /** Leases whose time is over, at most so many, those first that ended first. */
  List<Expiry> expired(int most) {
    List<Expiry> expired = new ArrayList<>();
    for (Lease lease : byDue) {
      if (lease.dueNanos > awakeNanos || expired.size() == most) {
        break;
      }
      if (!lease.isProposed && lease.deadlineNanos <= awakeNanos) {
        expired.add(new Expiry(lease.id, lease.row));
      }
    }
    return expired;
  }

  /** Leases of which the rest of the time should be written down: with that rest. */
  Map<Long, LeaseRow> checkpoints(int most) {
    Map<Long, LeaseRow> checkpoints = new LinkedHashMap<>();
    for (Lease lease : byDue) {
      if (lease.dueNanos > awakeNanos || checkpoints.size() == most) {
        break;
      }
      if (!lease.isProposed && lease.deadlineNanos > awakeNanos) {
        checkpoints.put(lease.id, withRemaining(lease));
      }
    }
    return checkpoints;
  }

  private LeaseRow withRemaining(Lease lease) {
    long left = millis(lease.deadlineNanos - awakeNanos);
    return lease.row.checkpoint(Math.max(0, left));
  }

  /** An entry about this lease was proposed; until {@link #settled} nothing else is. */
  void proposed(long id) {
    Lease lease = leases.get(id);
    if (lease != null) {
      lease.isProposed = true;
    }
  }

  /** What became of it will be, or was, told by {@link #apply}; else it is proposed again. */
  void settled(long id) {
    Lease lease = leases.get(id);
    if (lease != null) {
      lease.isProposed = false;
    }
  }

  /** How much of its time is left, by what is known here; null: there is no such lease. */
  @Nullable Long remainingMillis(long id) {
    Lease lease = leases.get(id);
    if (lease == null) {
      return null;
    }
    long left = millis(lease.deadlineNanos - awakeNanos);
    return Math.max(0, Math.min(left, lease.row.ttlMillis()));
  }

  /** How many there are. */
  int size() {
    return leases.size();
  }
}
