package io.kvorum.raft;

import java.util.ArrayDeque;

/**
 * Until when no other leader can exist, by this leader's own monotonic clock (thesis §6.4.1).
 *
 * <pre>
 *   lease = send time of the newest round that a majority has answered
 *           + (electionTicks − 1) × tickNanos × (1 − clockDriftPermille / 1000)
 * </pre>
 *
 * <p>Why it holds. Each of that majority handled the round after it was sent, and from then on
 * votes for nobody, itself included, until it has counted electionTicks ticks ({@link
 * LeaderContact}). Its first tick may come at once, the others are at least tickNanos apart by its
 * clock: so at least (electionTicks − 1) × tickNanos pass there, and at least that times (1 −
 * drift) here. Every later leader needs the vote of one of them, and had to be elected before it
 * commits anything. A tick that is late only lengthens the promise. A pause of the leader costs
 * lease, since the send time is taken before the message leaves.
 *
 * <p>There is no lease
 *
 * <ul>
 *   <li>before the own no-op is committed: the commit index may be behind (§8, FAULTS F092);
 *   <li>in a term in which TimeoutNow has left, even if the transfer failed: that message may still
 *       be under way, and the election that it starts passes over the promise;
 *   <li>over a change of membership: its rounds were answered by another majority;
 *   <li>after the group was quiet, until a new round is answered;
 *   <li>while the driver has told no time.
 * </ul>
 *
 * <p>Ticks are not its clock: a leader that sleeps counts none of them (FAULTS F094).
 */
final class LeaderLease {
  private static final int SENT_MAX = 64;

  private record Sent(long round, long nanos, Membership membership) {}

  private final RaftState state;
  private final long lengthNanos;
  private final ArrayDeque<Sent> sent = new ArrayDeque<>();
  private boolean revoked;
  private boolean confirmed;
  private long startNanos;
  private Membership earnedFrom;

  LeaderLease(RaftState state) {
    this.state = state;
    RaftConfig config = state.config;
    // Whole microseconds, rounded down, so that the product cannot overflow.
    long promiseMicros = (config.electionTicks() - 1) * (config.tickNanos() / 1000);
    lengthNanos = promiseMicros * (1000 - config.clockDriftPermille());
    earnedFrom = state.configuration.membership();
    revoked = !config.leaseReads();
  }

  /** A round is about to be sent. */
  void sending(long round) {
    if (revoked || !state.time.isKnown()) {
      return;
    }
    // A round that is forgotten only makes the lease begin earlier, with an older one.
    if (sent.size() == SENT_MAX) {
      sent.removeFirst();
    }
    sent.addLast(new Sent(round, state.time.nanos(), state.configuration.membership()));
  }

  /** A majority, ourselves included, has answered this round, and so all earlier ones. */
  void confirmed(long round) {
    while (!sent.isEmpty() && sent.getFirst().round() <= round) {
      Sent newest = sent.removeFirst();
      confirmed = true;
      startNanos = newest.nanos();
      earnedFrom = newest.membership();
    }
  }

  /** Nothing that was sent before counts. */
  void drop() {
    sent.clear();
    confirmed = false;
  }

  /** For the rest of the term. */
  void revoke() {
    drop();
    revoked = true;
  }

  /** Whether no other leader can have been elected up to the time last told. */
  boolean holds() {
    return confirmed
        && earnedFrom.equals(state.configuration.membership())
        && state.time.nanos() - startNanos < lengthNanos;
  }
}
