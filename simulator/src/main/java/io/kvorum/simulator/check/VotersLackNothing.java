package io.kvorum.simulator.check;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.Set;
import java.util.TreeSet;

/**
 * A node that knows that its log lacks what it has promised to keep neither votes nor campaigns,
 * and does not say that it is whole before its disk holds again all that it held and that was
 * committed (FAULTS F034). Nor does anybody claim to lack something from whose disk nothing was
 * taken: what a crash leaves is no loss.
 */
public final class VotersLackNothing implements Checker {
  private final DurableLogs logs;
  private final Set<NodeId> lacking = new TreeSet<>();

  /** From whose disks something was taken, ever. */
  private final Set<NodeId> robbed = new TreeSet<>();

  /** Those that lacked something when they ended, and have not said yet whether they still do. */
  private final Set<NodeId> restarted = new TreeSet<>();

  VotersLackNothing(DurableLogs logs) {
    this.logs = logs;
  }

  @Override
  public String name() {
    return "VotersLackNothing";
  }

  @Override
  public void on(SimEvent event) {
    logs.on(event);
    if (event instanceof SimEvent.LogLacks told) {
      if (told.lacks()) {
        checkRobbed(told.node());
        restarted.remove(told.node());
        lacking.add(told.node());
      } else {
        lacking.remove(told.node());
        checkWhole(told.node());
      }
    } else if (event instanceof SimEvent.Started started) {
      if (lacking.remove(started.node())) {
        restarted.add(started.node());
      }
    } else if (event instanceof SimEvent.LogMoved moved) {
      if (restarted.remove(moved.node())) {
        checkWhole(moved.node());
      }
    } else if (event instanceof SimEvent.FaultStruck struck) {
      NodeId node = Damage.toAnything(struck.fault());
      if (node != null) {
        robbed.add(node);
      }
    } else if (event instanceof SimEvent.Sent sent) {
      Envelope envelope = sent.envelope();
      if (lacking.contains(envelope.from()) && isVote(envelope.message())) {
        throw new Violation(name(), "though its log lacks something, %s".formatted(envelope));
      }
    }
  }

  private static boolean isVote(Message message) {
    return message instanceof Message.RequestVote
        || (message instanceof Message.RequestVoteResponse response && response.granted());
  }

  private void checkRobbed(NodeId node) {
    if (!robbed.contains(node)) {
      throw new Violation(
          name(), "%s says that its log lacks something, and nothing was taken".formatted(node));
    }
  }

  private void checkWhole(NodeId node) {
    EntryDigest lacked = logs.firstLacking(node);
    if (lacked != null) {
      throw new Violation(
          name(), "%s takes its log for whole, which lacks %s".formatted(node, lacked));
    }
  }
}
