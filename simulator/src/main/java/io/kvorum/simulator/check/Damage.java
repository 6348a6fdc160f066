package io.kvorum.simulator.check;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.NodeFile;
import org.jspecify.annotations.Nullable;

/**
 * Which faults take from a disk what no node can get back. What a node has to notice, such as the
 * loss of its vote, is not among them: there the checkers keep watching.
 */
final class Damage {
  private Damage() {}

  /** Whose disk holds nothing, or something old, from now on; null: nobody's. */
  static @Nullable NodeId toAll(Fault fault) {
    if (fault instanceof Fault.Wipe wipe) {
      return wipe.node();
    }
    return fault instanceof Fault.RestoreCopy restore ? restore.node() : null;
  }

  /** From whose disk something was taken, noticed or not; null: from nobody's. */
  static @Nullable NodeId toAnything(Fault fault) {
    if (fault instanceof Fault.LoseFile lose) {
      return lose.node();
    } else if (fault instanceof Fault.FlipBit flip) {
      return flip.node();
    } else if (fault instanceof Fault.ZeroPage zero) {
      return zero.node();
    } else if (fault instanceof Fault.ZeroTail zero) {
      return zero.node();
    }
    return toAll(fault);
  }

  /**
   * Whose log may be shorter from now on; null: nobody's. Where the end of the log is gone, it
   * looks as if it had never been synced. A single bit tells: a crash leaves other traces.
   */
  static @Nullable NodeId toLog(Fault fault) {
    if (fault instanceof Fault.ZeroPage zero && zero.file() == NodeFile.LAST_SEGMENT) {
      return zero.node();
    }
    return toAll(fault);
  }
}
