package io.kvorum.client;

import io.kvorum.api.KvException;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.CompactRequest;
import io.kvorum.protocol.DeleteRangeRequest;
import io.kvorum.protocol.Idempotency;
import io.kvorum.protocol.LeaseGrantRequest;
import io.kvorum.protocol.LeaseListRequest;
import io.kvorum.protocol.LeaseRenewRequest;
import io.kvorum.protocol.LeaseRevokeRequest;
import io.kvorum.protocol.LeaseStatusRequest;
import io.kvorum.protocol.MembersChangeRequest;
import io.kvorum.protocol.MembersRequest;
import io.kvorum.protocol.Numbered;
import io.kvorum.protocol.PutRequest;
import io.kvorum.protocol.RangeRequest;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.SnapshotReadRequest;
import io.kvorum.protocol.SnapshotTakeRequest;
import io.kvorum.protocol.SpaceRequest;
import io.kvorum.protocol.StatusRequest;
import io.kvorum.protocol.TransferRequest;
import io.kvorum.protocol.TxnRequest;
import io.kvorum.protocol.Wire;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One operation under way, from the call to the end of its future.
 *
 * <p>Belongs to the loop from the moment it is submitted until it has ended, then to the callback
 * thread. At any time it is in one place: waiting to be sent, or sent on one link.
 */
final class Call<T> {
  final Request<T> request;
  final long deadlineNanos;

  /** Asked of this endpoint and no other; null: of whoever leads. */
  final @Nullable Endpoint pinned;

  final CompletableFuture<T> future = new CompletableFuture<>();

  /** Whether the client itself made it: it counts against no limit, and ends on the loop. */
  final boolean isOwn;

  /** Neighbours in the list of deadlines; see {@link Deadlines}. */
  @Nullable Call<?> earlier;

  @Nullable Call<?> later;

  /** Where it was sent or waits for the Hello; null while it waits for a leader. */
  @Nullable Link link;

  /** Under which id it was sent on {@link #link}. */
  long id;

  /** Its place among the calls that wait: those of the client itself first, then as submitted. */
  long order;

  /** In which its number is {@link #sequence}; null: it has none. */
  Numbering.@Nullable Session session;

  long sequence;

  /** Whether a frame with its number was made before: then a server may know it. */
  private boolean wasSent;

  /** Whether a server may have it whose answer we do not hear any more. */
  boolean mayBeExecuted;

  /** Why it was not executed the last time it was sent. */
  @Nullable KvException refusal;

  private boolean ended;
  private @Nullable ServerFrame answer;
  private @Nullable KvException failure;

  Call(Request<T> request, long deadlineNanos, @Nullable Endpoint pinned) {
    this(request, deadlineNanos, pinned, false);
  }

  private Call(Request<T> request, long deadlineNanos, @Nullable Endpoint pinned, boolean isOwn) {
    this.isOwn = isOwn;
    this.request = request;
    this.deadlineNanos = deadlineNanos;
    this.pinned = pinned;
  }

  /** A call that the client makes for itself, of whoever leads. */
  static <T> Call<T> own(Request<T> request, long deadlineNanos) {
    return new Call<>(request, deadlineNanos, null, true);
  }

  /**
   * The frame to send now, once for each time that it is sent; it carries the time that is left, at
   * least 1 ms.
   */
  ClientFrame frame(long frameId, long nowNanos) {
    long leftMillis = (deadlineNanos - nowNanos + 999_999) / 1_000_000;
    ClientFrame.Builder frame =
        ClientFrame.newBuilder()
            .setId(frameId)
            .setTimeoutMillis((int) Math.max(1, Math.min(leftMillis, Integer.MAX_VALUE)));
    if (session != null) {
      frame.setNumbered(
          Numbered.newBuilder()
              .setSession(session.id())
              .setSequence(sequence)
              .setAcknowledgedBelow(session.acknowledgedBelow())
              .setFirst(!wasSent));
      wasSent = true;
    }
    request
        .idempotencyKey()
        .ifPresent(
            key ->
                frame.setIdempotency(
                    Idempotency.newBuilder()
                        .setKey(Wire.toProto(key.key()))
                        .setTtlMillis(key.ttl().toMillis())));
    if (request.body() instanceof PutRequest put) {
      frame.setPut(put);
    } else if (request.body() instanceof RangeRequest range) {
      frame.setRange(range);
    } else if (request.body() instanceof DeleteRangeRequest delete) {
      frame.setDeleteRange(delete);
    } else if (request.body() instanceof TxnRequest txn) {
      frame.setTxn(txn);
    } else if (request.body() instanceof LeaseRenewRequest renew) {
      frame.setLeaseRenew(renew);
    } else if (request.body() instanceof StatusRequest status) {
      frame.setStatus(status);
    } else {
      setRare(frame);
    }
    return frame.build();
  }

  private void setRare(ClientFrame.Builder frame) {
    if (request.body() instanceof MembersRequest members) {
      frame.setMembers(members);
    } else if (request.body() instanceof MembersChangeRequest change) {
      frame.setMembersChange(change);
    } else if (request.body() instanceof TransferRequest transfer) {
      frame.setTransfer(transfer);
    } else if (request.body() instanceof LeaseGrantRequest grant) {
      frame.setLeaseGrant(grant);
    } else if (request.body() instanceof LeaseRevokeRequest revoke) {
      frame.setLeaseRevoke(revoke);
    } else if (request.body() instanceof LeaseStatusRequest status) {
      frame.setLeaseStatus(status);
    } else if (request.body() instanceof LeaseListRequest list) {
      frame.setLeaseList(list);
    } else if (request.body() instanceof CompactRequest compact) {
      frame.setCompact(compact);
    } else if (request.body() instanceof SpaceRequest space) {
      frame.setSpace(space);
    } else if (request.body() instanceof SnapshotTakeRequest take) {
      frame.setSnapshotTake(take);
    } else if (request.body() instanceof SnapshotReadRequest read) {
      frame.setSnapshotRead(read);
    } else {
      throw new AssertionError("no frame carries a " + request.body().getClass());
    }
  }

  /**
   * What the caller may conclude when time is up.
   *
   * @param sent whether a server may have it
   * @param trouble what went wrong last for any call
   */
  KvException timedOut(boolean sent, String trouble) {
    if ((sent && request.isWrite()) || mayBeExecuted) {
      return new KvException.OutcomeUnknown("it was sent, and no answer came in time");
    }
    if (refusal instanceof KvException.Overloaded busy) {
      return new KvException.Overloaded(
          "not executed in time: " + busy.getMessage(), busy.retryAfter());
    }
    String last = refusal == null ? trouble : String.valueOf(refusal.getMessage());
    return new KvException.Unavailable(
        (sent ? "no answer came in time" : "not executed in time") + "; the last trouble: " + last);
  }

  /** What the caller may conclude when it is given up for that reason. */
  KvException givenUp(KvException why) {
    return mayBeExecuted
        ? new KvException.OutcomeUnknown("it was sent, and not answered; then: " + why.getMessage())
        : why;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Ends with the server's answer; {@link #complete} tells the caller. */
  void end(ServerFrame frame) {
    endOnce();
    answer = frame;
  }

  /** Ends without a result; {@link #complete} tells the caller. */
  void end(KvException why) {
    endOnce();
    failure = why;
  }

  private void endOnce() {
    if (ended) {
      throw new IllegalStateException("a call ended twice");
    }
    ended = true;
  }

  /** Completes the future. On a callback thread or {@link #isOwn}, once, after it has ended. */
  void complete() {
    if (failure != null) {
      future.completeExceptionally(failure);
      return;
    }
    ServerFrame frame = answer;
    if (frame == null) {
      throw new IllegalStateException("completed before it ended");
    }
    T result;
    try {
      result = request.result().apply(frame);
    } catch (RuntimeException bug) {
      future.completeExceptionally(bug);
      return;
    }
    future.complete(result);
  }
}
