package io.kvorum.raft;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the driver has to do, in any order and on any thread, with the exceptions below. Taking it
 * hands the work over: the core never names the same work twice.
 *
 * <p>Messages may be sent at once: those that promise something about this node's disk are kept
 * back by the core until {@link RaftCore#durable} says that the promise holds. So no driver can
 * send one too early (FAULTS F001, F022, F028).
 *
 * @param messages to send; best before the own write, since a leader's followers then write at the
 *     same time (thesis §10.2.1)
 * @param write to make durable, after all earlier ones; null when there is nothing
 * @param committed entries to apply, after all earlier ones; the first follows the last one named
 *     before. All of them are durable here
 * @param reads ids of reads, each with the index that must be applied before it is answered
 * @param failedReads reads that this node can no longer answer, as it leads no more or lost the
 *     leader that it had asked
 * @param install a snapshot that came with a {@link Message.InstallSnapshot}, or null: after the
 *     writes and committed entries named so far, replace the state machine by it, empty the log and
 *     let it go on behind the snapshot, all durably; then call {@link RaftCore#installed}, or
 *     {@link RaftCore#installFailed} if nothing was changed. Meanwhile no entries are named,
 *     neither to write nor to apply
 * @param membership the membership by which the core now acts, committed or not, if it has changed
 *     since the last call; null otherwise. Its members are who must be reachable
 */
public record Ready(
    List<Envelope> messages,
    @Nullable Write write,
    List<Entry> committed,
    List<ReadState> reads,
    List<Long> failedReads,
    @Nullable SnapshotMeta install,
    @Nullable Membership membership) {

  /**
   * One unit of durability. If the first entry's index is at or below the last one written, the log
   * is first truncated to just before it.
   *
   * @param sequence from 1, rising by 1; reported back by {@link RaftCore#durable}
   * @param hardState the new term and vote, or null when unchanged
   * @param entries consecutive; may be empty
   */
  public record Write(long sequence, @Nullable HardState hardState, List<Entry> entries) {}

  /**
   * The read may be answered from a state that has applied at least {@code index} (§6.4).
   *
   * @param leaseTerm 0, or the term whose lease the read rests on: after the read was made, and
   *     before the answer leaves, {@link RaftCore#leaseHolds} must say so again (FAULTS F094)
   */
  public record ReadState(long readId, long index, long leaseTerm) {
    /** A read that rests on no lease. */
    public ReadState(long readId, long index) {
      this(readId, index, 0);
    }

    public boolean isLeased() {
      return leaseTerm > 0;
    }
  }
}
