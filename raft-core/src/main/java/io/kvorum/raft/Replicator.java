package io.kvorum.raft;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The leader's sending (§5.3): entries as far as each follower's window allows, a snapshot where
 * they are gone (§7), and else the heartbeats, probes and rounds of reads that are due.
 */
final class Replicator {
  private final RaftState state;
  private final ReadRounds rounds;
  private final Quiescence quiescence;

  /** The entries of the last AppendEntries: followers at the same point share one list. */
  private List<Entry> batch = List.of();

  Replicator(RaftState state, ReadRounds rounds, Quiescence quiescence) {
    this.state = state;
    this.rounds = rounds;
    this.quiescence = quiescence;
  }

  /** Whether there is something for this follower that can go now. */
  boolean wantsToSend(Progress p) {
    return p.wantsEntries(state.log.lastIndex()) || wantsSnapshot(p);
  }

  /**
   * Its log does not meet ours at {@code rejected}. It has nothing above the hint that could match;
   * of ours, entries of a later term than the hint's cannot match at or below it. So each rejection
   * skips at least a whole term of one of the logs (§5.3, last but one paragraph).
   */
  void retry(Progress p, long rejected, EntryId hint) {
    if (!p.isRejection(rejected)) {
      return;
    }
    long from = Math.max(p.matchIndex(), state.log.compacted().index());
    EntryId meeting = state.log.lastUpToTerm(from, hint.index(), hint.term());
    p.probe(Math.min(rejected, meeting.index() + 1));
  }

  /** Sends everybody what is due. */
  void replicate(SortedMap<NodeId, Progress> progress) {
    for (Map.Entry<NodeId, Progress> peer : progress.entrySet()) {
      replicate(peer.getKey(), peer.getValue());
    }
    batch = List.of();
  }

  private void replicate(NodeId peer, Progress p) {
    EntryId compacted = state.log.compacted();
    boolean behindLog = p.nextIndex() <= compacted.index();
    if (behindLog && p.state() != RaftStatus.Progress.State.SNAPSHOT) {
      p.awaitSnapshot(compacted.index());
    }
    SnapshotMeta snapshot = wantsSnapshot(p) ? state.snapshots.sendable(compacted) : null;
    if (snapshot != null) {
      p.transfer().started(snapshot.last().index());
      state.send(peer, new Message.InstallSnapshot(snapshot));
    }
    while (p.wantsEntries(state.log.lastIndex())) {
      send(peer, p, state.log.id(p.nextIndex() - 1), nextEntries(p.nextIndex()));
    }
    if (p.wantsMessage(rounds.newest())) {
      // While a snapshot is awaited, our logs need not meet anywhere but before the first entry.
      boolean awaits = p.state() == RaftStatus.Progress.State.SNAPSHOT;
      send(peer, p, awaits ? EntryId.ZERO : state.log.id(p.nextIndex() - 1), List.of());
    }
  }

  private boolean wantsSnapshot(Progress p) {
    return p.wantsSnapshot(state.config.electionTicks());
  }

  private List<Entry> nextEntries(long from) {
    if (batch.isEmpty() || batch.get(0).index() != from) {
      long to = Math.min(state.log.lastIndex() + 1, from + state.config.appendEntriesMax());
      batch = state.log.entries(from, to, state.config.appendBytesMax());
    }
    return batch;
  }

  private void send(NodeId peer, Progress p, EntryId prev, List<Entry> entries) {
    var append = new Message.AppendEntries(prev, entries, state.log.commitIndex(), rounds.newest());
    long bytes = 0;
    for (int i = 0; i < entries.size(); i++) {
      bytes += entries.get(i).sizeBytes();
    }
    p.sent(append, bytes);
    quiescence.spoke();
    state.send(peer, append);
  }
}
