package io.kvorum.server;

import io.kvorum.node.Feature;
import io.kvorum.node.ProposalListener;
import io.kvorum.node.RaftNode;
import io.kvorum.protocol.CompactResponse;
import io.kvorum.protocol.LeaseWire;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.TxnWire;
import io.kvorum.protocol.Wire;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.Refusal;
import io.kvorum.server.store.StoreLimits;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes commands of clients to the log, and makes answers of what becomes of them. */
final class Proposals {
  private final RaftNode<ApplyResult> node;
  private final KvStateMachine machine;
  private final Answers answers;

  Proposals(RaftNode<ApplyResult> node, KvStateMachine machine, Answers answers) {
    this.node = node;
    this.machine = machine;
    this.answers = answers;
  }

  /** Proposes a command and answers with what becomes of it. */
  void propose(long id, byte[] command, Consumer<ServerFrame> answer) {
    propose(id, null, command, answer);
  }

  /**
   * As above.
   *
   * @param needs what not every version has; null: nothing
   */
  void propose(long id, @Nullable Feature needs, byte[] command, Consumer<ServerFrame> answer) {
    Refusal refusal = StoreLimits.refuseCommand(command);
    if (refusal != null) {
      answer.accept(answers.rejected(id, refusal));
      return;
    }
    node.propose(needs, command, new Answering(id, answer));
  }

  /** Answers a request with what became of its command. */
  class Answering implements ProposalListener<ApplyResult> {
    private final long id;
    private final Consumer<ServerFrame> answer;

    Answering(long id, Consumer<ServerFrame> answer) {
      this.id = id;
      this.answer = answer;
    }

    @Override
    public void applied(ApplyResult result) {
      answer.accept(frame(id, result));
    }

    @Override
    public void refused(io.kvorum.node.Refusal why) {
      answer.accept(answers.refused(id, why));
    }

    @Override
    public void unknown(String why) {
      answer.accept(answers.unknown(id, why));
    }
  }

  private ServerFrame frame(long id, ApplyResult applied) {
    // Of what has come before, the answer is the one of that time.
    ApplyResult result = applied.first();
    if (result instanceof ApplyResult.Full full) {
      return answers.full(id, full.message());
    }
    if (result instanceof ApplyResult.Rejected rejected) {
      return answers.rejected(id, rejected.refusal(), machine.compactRevision());
    }
    ServerFrame.Builder frame = answers.frame(id, result.header());
    if (result instanceof ApplyResult.PutApplied put) {
      return frame.setPut(Wire.toProto(put.result())).build();
    }
    if (result instanceof ApplyResult.DeleteApplied delete) {
      return frame.setDeleteRange(Wire.toProto(delete.result())).build();
    }
    if (result instanceof ApplyResult.TxnApplied txn) {
      return frame.setTxn(TxnWire.toProto(txn.result())).build();
    }
    if (result instanceof ApplyResult.QuotaSet set) {
      return frame.setSpace(SpaceService.response(set.space())).build();
    }
    if (result instanceof ApplyResult.LeaseGranted grant) {
      return frame.setLeaseGrant(LeaseWire.toProto(grant.result())).build();
    }
    if (result instanceof ApplyResult.LeaseRevoked revoked) {
      return frame.setLeaseRevoke(LeaseWire.toProto(revoked.result())).build();
    }
    if (result instanceof ApplyResult.Compacted) {
      return frame.setCompact(CompactResponse.getDefaultInstance()).build();
    }
    throw new AssertionError("no answer to a request: " + result);
  }
}
