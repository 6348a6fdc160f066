package io.kvorum.server;

import io.kvorum.api.Op;
import io.kvorum.api.SpaceUse;
import io.kvorum.api.Txn;
import io.kvorum.node.Feature;
import io.kvorum.node.RaftNode;
import io.kvorum.node.ReadListener;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.SpaceRequest;
import io.kvorum.protocol.SpaceResponse;
import io.kvorum.protocol.StatusWire;
import io.kvorum.raft.RaftStatus;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.Refusal;
import io.kvorum.server.store.Space;
import io.kvorum.server.store.StoreLimits;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests about the room that the store takes, and refuses early what the store would
 * refuse for lack of it, so that the log of a full store is not filled by refusals. Belongs to the
 * loop.
 *
 * <p>What is refused here has certainly not been executed: only a leader refuses that has applied
 * an entry of its own term, so all that others have acknowledged before; and only what nobody has
 * sent before, since a command that comes again may have been executed already (FAULTS F104).
 */
final class SpaceService {
  private final RaftNode<ApplyResult> node;
  private final KvStateMachine machine;
  private final Answers answers;
  private final Proposals proposals;

  SpaceService(
      RaftNode<ApplyResult> node, KvStateMachine machine, Answers answers, Proposals proposals) {
    this.node = node;
    this.machine = machine;
    this.answers = answers;
    this.proposals = proposals;
  }

  /** What the store takes and may take, as clients see it. */
  static SpaceUse use(Space space) {
    return new SpaceUse(
        space.usedBytes(), space.quotaBytes(), space.reclaimableBytes(), space.alarm());
  }

  static SpaceResponse response(Space space) {
    return SpaceResponse.newBuilder().setSpace(StatusWire.toProto(use(space))).build();
  }

  /** Sets the quota, or only says what it is. */
  void space(long id, SpaceRequest request, long timeMillis, Consumer<ServerFrame> answer) {
    if (!request.hasQuotaBytes()) {
      node.read(new Look(id, answer));
      return;
    }
    Refusal refusal = StoreLimits.refuseQuota(request.getQuotaBytes());
    if (refusal != null) {
      answer.accept(answers.rejected(id, refusal));
    } else {
      byte[] command = Commands.quota(request.getQuotaBytes(), timeMillis);
      proposals.propose(id, Feature.QUOTA, command, answer);
    }
  }

  private final class Look implements ReadListener {
    private final long id;
    private final Consumer<ServerFrame> answer;

    Look(long id, Consumer<ServerFrame> answer) {
      this.id = id;
      this.answer = answer;
    }

    @Override
    public Runnable read() {
      ServerFrame frame =
          answers.frame(id, machine.header()).setSpace(response(machine.space())).build();
      return () -> answer.accept(frame);
    }

    @Override
    public void refused(io.kvorum.node.Refusal why) {
      answer.accept(answers.refused(id, why));
    }
  }

  /** Why a put need not come into the log, or null. */
  @Nullable Refusal refusePut(ClientFrame request) {
    return refuse(request, Space.ofPutAtLeast(request.getPut().getValue().size()));
  }

  /** Why a transaction need not come into the log, or null. */
  @Nullable Refusal refuseTxn(ClientFrame request, Txn txn) {
    boolean looks = machine.space().alarm() && surelyGrows(txn);
    return looks ? refuse(request, Space.ofPutAtLeast(0)) : null;
  }

  /** Why a lease need not be granted, or null. */
  @Nullable Refusal refuseGrant(ClientFrame request) {
    boolean isSession = request.getLeaseGrant().getSession();
    return isSession ? null : refuse(request, Space.ofLease());
  }

  private @Nullable Refusal refuse(ClientFrame request, long moreBytes) {
    Space space = machine.space();
    // While there is no alarm the first one goes into the log, and raises it for all members.
    if (!space.alarm() || request.hasIdempotency()) {
      return null;
    }
    boolean mayHaveCome = request.hasNumbered() && !request.getNumbered().getFirst();
    return mayHaveCome || !isUpToDate() ? null : space.refuse(moreBytes);
  }

  private boolean isUpToDate() {
    return node.role() == RaftStatus.RoleName.LEADER
        && machine.header().term() == node.status().term();
  }

  /** Whichever way its comparisons turn out. */
  private static boolean surelyGrows(Txn txn) {
    boolean mayFail = !txn.compares().isEmpty();
    return surelyGrow(txn.success()) && (!mayFail || surelyGrow(txn.failure()));
  }

  private static boolean surelyGrow(List<Op> ops) {
    return ops.stream()
        .anyMatch(
            op ->
                op instanceof Op.Nested nested
                    ? surelyGrows(nested.txn())
                    : op instanceof Op.Put || op instanceof Op.Add || op instanceof Op.Append);
  }
}
