package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.Progress.State;

/**
 * What the leader knows of one other member (§5.3, "nextIndex", "matchIndex").
 *
 * <ul>
 *   <li>Probe: it is not known where its log meets ours. One message, then wait for the answer.
 *   <li>Replicate: it is. Messages follow each other without waiting, {@code nextIndex} running
 *       ahead of the answers. A message that was lost leaves a gap; the next one is rejected, if
 *       only a heartbeat, since that names the entry before {@code nextIndex}.
 *   <li>Snapshot: what it needs next is compacted.
 * </ul>
 */
final class Progress {
  private final Inflights inflights;
  private final SnapshotTransfer transfer;
  private State state = State.PROBE;
  private long matchIndex;
  private long nextIndex;
  private boolean probeSent;
  private int silentTicks;
  private int ticksSinceSent;
  private boolean messageDue;
  private boolean hasAnswered;
  private long sentCommit;
  private long sentRound;
  private long answeredRound;
  private int unansweredRounds;

  Progress(RaftConfig config, long nextIndex) {
    this.nextIndex = nextIndex;
    transfer = new SnapshotTransfer(config.electionTicks());
    inflights = new Inflights(config.inflightMessagesMax(), config.inflightBytesMax());
  }

  State state() {
    return state;
  }

  long matchIndex() {
    return matchIndex;
  }

  long nextIndex() {
    return nextIndex;
  }

  long answeredRound() {
    return answeredRound;
  }

  /** Whether entries up to {@code lastIndex} could be sent now. */
  boolean wantsEntries(long lastIndex) {
    return switch (state) {
      case PROBE -> !probeSent && nextIndex <= lastIndex;
      case REPLICATE -> !inflights.isFull() && nextIndex <= lastIndex;
      case SNAPSHOT -> false;
    };
  }

  /**
   * Whether a message has to go even without entries. One that leaves rounds unanswered hears of
   * later ones with the heartbeat only, or a dead member would be sent one for each round.
   */
  boolean wantsMessage(long round) {
    return messageDue || (sentRound < round && unansweredRounds < ReadRounds.OPEN_MAX);
  }

  /** Time passes. A heartbeat is due after a pause, news of a commit at once. */
  void tick(int heartbeatTicks, long commitIndex) {
    silentTicks++;
    transfer.tick();
    ticksSinceSent++;
    boolean commitIsNews = state == State.REPLICATE && sentCommit < commitIndex;
    messageDue |= ticksSinceSent >= heartbeatTicks || commitIsNews;
  }

  boolean isActive(int electionTicks) {
    return silentTicks < electionTicks;
  }

  void sent(Message.AppendEntries append, long bytes) {
    messageDue = false;
    ticksSinceSent = 0;
    sentCommit = Math.max(sentCommit, append.commit());
    if (append.round() > sentRound) {
      sentRound = append.round();
      unansweredRounds = Math.min(unansweredRounds + 1, ReadRounds.OPEN_MAX);
    }
    if (state == State.PROBE) {
      probeSent = true;
    } else if (!append.entries().isEmpty()) {
      nextIndex += append.entries().size();
      inflights.add(nextIndex - 1, bytes);
    }
  }

  /** It answered: it lives, and it followed us when the round began. */
  void heard(long round) {
    silentTicks = 0;
    hasAnswered = true;
    if (round > answeredRound) {
      answeredRound = round;
      unansweredRounds = round == sentRound ? 0 : Math.max(0, unansweredRounds - 1);
    }
  }

  /** Silence was proposed, which is as good as a heartbeat. */
  void quiesceSent() {
    ticksSinceSent = 0;
  }

  /** The silence is over: what was not said in it counts for nothing, and a message is due. */
  void woken() {
    silentTicks = 0;
    messageDue = true;
  }

  /**
   * It accepted a message and has everything durable up to {@code match}, which may be old news.
   *
   * @return whether {@code matchIndex} has risen
   */
  boolean accepted(long match, long compactedIndex) {
    boolean risen = match > matchIndex;
    matchIndex = Math.max(matchIndex, match);
    nextIndex = Math.max(nextIndex, matchIndex + 1);
    inflights.freeTo(matchIndex);
    transfer.accepted(match);
    if (state == State.PROBE || (state == State.SNAPSHOT && matchIndex >= compactedIndex)) {
      state = State.REPLICATE;
      transfer.end();
    }
    return risen;
  }

  /**
   * Whether a rejection of {@code prev} at this index is about where we stand, and not an old one.
   */
  boolean isRejection(long rejected) {
    return rejected > matchIndex
        && (state == State.REPLICATE || (state == State.PROBE && rejected == nextIndex - 1));
  }

  /** Tries from {@code next} on: always less than before, never below what is known to match. */
  void probe(long next) {
    state = State.PROBE;
    nextIndex = Math.max(next, matchIndex + 1);
    probeSent = false;
    inflights.clear();
  }

  /** The connection is gone: until a heartbeat is answered, nothing else is sent. */
  void unreachable() {
    if (state == State.REPLICATE) {
      probe(matchIndex + 1);
      probeSent = true;
    }
    transfer.failed();
  }

  void awaitSnapshot(long compactedIndex) {
    state = State.SNAPSHOT;
    nextIndex = compactedIndex + 1;
    inflights.clear();
  }

  /** Whether a snapshot could be sent now. Not to one that is silent: it costs too much. */
  boolean wantsSnapshot(int electionTicks) {
    return state == State.SNAPSHOT && hasAnswered && isActive(electionTicks) && transfer.mayStart();
  }

  SnapshotTransfer transfer() {
    return transfer;
  }

  RaftStatus.Progress status(int electionTicks) {
    return new RaftStatus.Progress(
        matchIndex,
        nextIndex,
        inflights.messages(),
        inflights.bytes(),
        state,
        transfer.index(),
        isActive(electionTicks));
  }
}
