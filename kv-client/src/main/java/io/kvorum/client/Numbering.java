package io.kvorum.client;

import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.client.port.Loop;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.LeaseRevokeRequest;
import io.kvorum.protocol.ProtocolLimits;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers commands in a session of the cluster, so that they can be sent again and take effect
 * once.
 *
 * <p>The first command has a session opened, and waits for it. A command gets its number when it is
 * first sent, and keeps it; each carries the lowest number that is still waited for, and so
 * acknowledges all below. Commands that were sent stay on one link until each of them is decided
 * there: were some on their way through an old leader while later ones go to a new one, the later
 * might be applied first (FAULTS F110).
 *
 * <p>The session is renewed while there are commands, and given up after its time without one. What
 * its client believes of its end does not matter: the cluster says when it is over, to each command
 * in it. All state belongs to the loop.
 */
final class Numbering {
  private static final Logger LOG = LoggerFactory.getLogger(Numbering.class);

  /** A session is renewed so often in its time, and given up after as many times without use. */
  private static final int RENEWALS_PER_TTL = 3;

  /** After a renewal or an opening that failed. */
  private static final long RETRY_NANOS = 200_000_000;

  /** What brings calls to the cluster. */
  interface Sender {
    /** Takes a call of the client's own. */
    void submit(Call<?> call);

    /** Looks again whether what waits may be sent. */
    void pump();
  }

  /** A session of this client, which may be over. */
  static final class Session {
    private final long id;
    private final ArrayDeque<Call<?>> numbered = new ArrayDeque<>();
    private long next = 1;
    private int idle;

    private Session(long id) {
      this.id = id;
    }

    long id() {
      return id;
    }

    /** All below have ended, and nobody waits for them. */
    long acknowledgedBelow() {
      Call<?> lowest = numbered.peek();
      while (lowest != null && lowest.hasEnded()) {
        numbered.remove();
        lowest = numbered.peek();
      }
      return lowest == null ? next : lowest.sequence;
    }

    private void number(Call<?> call) {
      idle = 0;
      call.session = this;
      call.sequence = next++;
      numbered.add(call);
    }

    private boolean isFull() {
      return numbered.size() >= ProtocolLimits.SESSION_UNACKNOWLEDGED_MAX
          && next - acknowledgedBelow() >= ProtocolLimits.SESSION_UNACKNOWLEDGED_MAX;
    }
  }

  private final ClientConfig config;
  private final Loop loop;
  private final Sender sender;
  private @Nullable Session current;
  private @Nullable Link link;
  private @Nullable Session onLink;
  private Loop.@Nullable Timer timer;
  private boolean isOpening;
  private boolean over;

  Numbering(ClientConfig config, Loop loop, Sender sender) {
    this.config = config;
    this.loop = loop;
    this.sender = sender;
  }

  /**
   * Whether the call may be sent there now; if it is to have a number, it has one then. Otherwise
   * the sender is told when to look again.
   */
  boolean maySend(Call<?> call, Link there) {
    if (config.sessionTtl().isZero() || call.request.effect() != Request.Effect.COMMAND) {
      return true;
    }
    Session session = call.session == null ? current : call.session;
    boolean isUndecided = link != null && link.numbered() > 0;
    if (isUndecided && (link != there || onLink != session)) {
      return false;
    }
    if (session == null) {
      open();
      return false;
    }
    if (call.session == null) {
      if (session.isFull()) {
        return false;
      }
      session.number(call);
    }
    link = there;
    onLink = session;
    return true;
  }

  private void open() {
    if (isOpening || over) {
      return;
    }
    isOpening = true;
    long deadline = loop.nanoTime() + config.requestTimeout().toNanos();
    Call<LeaseGrant> call = Call.own(LeaseRequests.openSession(config.sessionTtl()), deadline);
    var unused = call.future.whenComplete(this::opened);
    sender.submit(call);
  }

  private void opened(@Nullable LeaseGrant grant, @Nullable Throwable failure) {
    if (over) {
      return;
    }
    if (grant == null) {
      LOG.debug("no session", failure);
      timer = loop.schedule(RETRY_NANOS, this::mayOpen);
      return;
    }
    current = new Session(grant.id());
    LOG.debug("session {} is open", grant.id());
    mayOpen();
    renewLater(renewalNanos());
  }

  private void mayOpen() {
    isOpening = false;
    sender.pump();
  }

  private long renewalNanos() {
    return config.sessionTtl().toNanos() / RENEWALS_PER_TTL;
  }

  private void renewLater(long nanos) {
    cancelTimer();
    timer = loop.schedule(nanos, this::renew);
  }

  private void renew() {
    Session session = current;
    if (session == null) {
      return;
    }
    boolean isIdle = session.acknowledgedBelow() == session.next;
    if (isIdle && session.idle++ == RENEWALS_PER_TTL) {
      current = null;
      long deadline = loop.nanoTime() + config.requestTimeout().toNanos();
      sender.submit(Call.own(LeaseRequests.endSession(session.id), deadline));
      return;
    }
    long patience = Math.min(config.requestTimeout().toNanos(), renewalNanos());
    Call<List<LeaseRenewal>> call =
        Call.own(LeaseRequests.renew(List.of(session.id)), loop.nanoTime() + patience);
    var unused = call.future.whenComplete((renewals, failure) -> renewed(session, renewals));
    sender.submit(call);
  }

  private void renewed(Session session, @Nullable List<LeaseRenewal> renewals) {
    if (over || current != session) {
      return;
    }
    if (renewals == null) {
      renewLater(Math.min(RETRY_NANOS, renewalNanos()));
    } else if (renewals.get(0).isAlive()) {
      renewLater(renewalNanos());
    } else {
      expired(session);
    }
  }

  /** The cluster says that it has no such session; it never has it again. */
  void expired(Session session) {
    if (current == session) {
      LOG.debug("session {} is over", session.id);
      current = null;
      cancelTimer();
    }
  }

  /** Ends it all; what to tell the cluster, if there is still a way. */
  ClientFrame.@Nullable Builder end() {
    over = true;
    cancelTimer();
    Session session = current;
    current = null;
    return session == null
        ? null
        : ClientFrame.newBuilder()
            .setLeaseRevoke(LeaseRevokeRequest.newBuilder().setId(session.id));
  }

  private void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
