package io.kvorum.raft;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What group members say to each other. All of it travels in an {@link Envelope}. */
public sealed interface Message {

  /**
   * RequestVote (§5.2), and its trial run, the pre-vote (thesis §9.6), which changes nothing.
   *
   * @param last the last entry of the candidate's log
   * @param preVote whether this is the trial run
   * @param transfer whether the leader itself asked for the election (thesis §3.10): then a node
   *     that still hears from that leader answers too
   */
  record RequestVote(EntryId last, boolean preVote, boolean transfer) implements Message {}

  record RequestVoteResponse(boolean granted, boolean preVote) implements Message {}

  /**
   * AppendEntries (§5.3). Without entries it is a heartbeat, a probe, or a round of reads.
   *
   * @param prev the entry before the first of {@code entries}
   * @param commit the leader's commit index
   * @param round the newest round of the leader in its term; answered by the same number, so a
   *     majority of answers proves that the leader led when the round began (thesis §6.4)
   */
  record AppendEntries(EntryId prev, List<Entry> entries, long commit, long round)
      implements Message {}

  /**
   * Says that the follower's log equals the leader's up to {@code match} and that this much is
   * durable; or, with a hint, that {@code prev} was missing.
   *
   * @param match index, durable on the follower; 0 with a hint
   * @param rejected index of the {@code prev} that was missing; 0 without a hint
   * @param hint where the leader may try next: the follower has no entry above it that could match;
   *     null when the append was accepted
   * @param round the round of the message that is answered; 0 when none is
   */
  record AppendEntriesResponse(long match, long rejected, @Nullable EntryId hint, long round)
      implements Message {}

  /** The leader asks the receiver to start an election at once (thesis §3.10). */
  record TimeoutNow() implements Message {}

  /**
   * A follower or learner asks the leader for a read index (thesis §6.4).
   *
   * @param attempt its number for the question, never used for another one; sent again with the
   *     same number when no answer comes
   */
  record ReadIndex(long attempt) implements Message {}

  /**
   * The leader has confirmed that it led after the question with this number had come.
   *
   * @param index all that was committed when the question came is at or below it; 0 when the asked
   *     node does not lead
   */
  record ReadIndexResponse(long attempt, long index) implements Message {}

  /**
   * Nothing goes on, and all members are alike: until something does, no heartbeat will come, and
   * none need be missed.
   *
   * @param last the last entry of the leader's log, which is committed
   */
  record Quiesce(EntryId last) implements Message {}

  /** The follower has the same last entry, durable and committed, and is quiet from now on. */
  record QuiesceResponse(EntryId last) implements Message {}

  /**
   * The follower's next entry is compacted: a snapshot has to come first (§7). The content travels
   * beside the core; this only names it. The receiver's driver hands it to its core when all of the
   * content has arrived.
   */
  record InstallSnapshot(SnapshotMeta snapshot) implements Message {}

  /**
   * The receiver asked for votes, but the sender, a leader, knows that it was removed. About what
   * is committed, so it holds in every term.
   *
   * @param membership the committed entry whose membership does not name the receiver
   */
  record Removed(EntryId membership) implements Message {}
}
