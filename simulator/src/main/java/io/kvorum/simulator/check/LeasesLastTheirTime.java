package io.kvorum.simulator.check;

import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * No lease ends before its time: that is counted, by true time, from when a client asked for what
 * was acknowledged to it. And of what a leader has written down of a lease's time, later leaders
 * give no more, but for the time in which holders find them.
 *
 * <p>The clocks of machines run wrong by as much as the contract of leases allows. It does not
 * allow them to jump: a jump may cost each lease what a leader counts between two looks.
 */
public final class LeasesLastTheirTime implements Checker {
  private static final long JUMP_NANOS = 200_000_000;
  private static final long MILLI_NANOS = 1_000_000;

  /** No election timeout of a run is longer: what a new leader gives each lease on top. */
  private static final long GRACE_MILLIS = 1_000;

  private static final class Lease {
    /** Not before that time may it end; 0: at any time. */
    private long lastsUntilNanos;

    private long expiredNanos = -1;
    private long jumpsBefore;
    private long index;
    private long checkpointNanos = Long.MAX_VALUE;
    private long checkpointMillis;
  }

  private final Map<Long, Lease> leases = new HashMap<>();
  private long jumps;

  @Override
  public String name() {
    return "LeasesLastTheirTime";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.FaultStruck struck) {
      jumps += struck.fault() instanceof Fault.JumpForward ? 1 : 0;
    } else if (event instanceof SimEvent.LeaseTold told) {
      Lease lease = leases.computeIfAbsent(told.lease(), id -> new Lease());
      switch (told.news()) {
        case USED_BY_A_TEST -> {}
        case GRANT_ANSWERED -> lasts(lease, told);
        case RENEWAL_ANSWERED -> {
          // It may have ended before the answer came; but not before its time.
          if (lease.expiredNanos > told.since()) {
            check(until(told), lease.expiredNanos, lease, told);
          } else {
            lasts(lease, told);
          }
        }
        case REMAINING_ANSWERED -> remaining(lease, told);
        case RENEWED, EXPIRED, REVOKED, CHECKPOINT -> applied(lease, told);
      }
    }
  }

  private static long until(SimEvent.LeaseTold told) {
    return told.since() + told.millis() * MILLI_NANOS;
  }

  private void lasts(Lease lease, SimEvent.LeaseTold told) {
    if (until(told) > lease.lastsUntilNanos) {
      lease.lastsUntilNanos = until(told);
    }
  }

  /** The first node that applies an entry decides when it happened. */
  private void applied(Lease lease, SimEvent.LeaseTold told) {
    if (told.since() <= lease.index) {
      return;
    }
    lease.index = told.since();
    switch (told.news()) {
      case EXPIRED -> {
        check(lease.lastsUntilNanos, told.atNanos(), lease, told);
        lease.expiredNanos = told.atNanos();
        lease.lastsUntilNanos = 0;
      }
      case REVOKED -> lease.lastsUntilNanos = 0;
      case RENEWED -> {
        lease.jumpsBefore = jumps;
        lease.checkpointNanos = Long.MAX_VALUE;
      }
      case CHECKPOINT -> {
        lease.checkpointNanos = told.atNanos();
        lease.checkpointMillis = told.millis();
      }
      default -> throw new AssertionError("no node tells " + told.news());
    }
  }

  private void check(long until, long expiredNanos, Lease lease, SimEvent.LeaseTold told) {
    long jumped = (jumps - lease.jumpsBefore) * JUMP_NANOS;
    if (expiredNanos < until - jumped) {
      throw new Violation(
          name(),
          "lease %d lasts until %d ms, and has ended at %d ms: %s"
              .formatted(told.lease(), until / MILLI_NANOS, expiredNanos / MILLI_NANOS, told));
    }
  }

  private void remaining(Lease lease, SimEvent.LeaseTold told) {
    // Asked before it was written down, an answer may still say more.
    if (told.since() >= lease.checkpointNanos
        && told.millis() > lease.checkpointMillis + GRACE_MILLIS) {
      throw new Violation(
          name(),
          "of lease %d no more than %d ms were left, and now %d are"
              .formatted(told.lease(), lease.checkpointMillis, told.millis()));
    }
  }
}
