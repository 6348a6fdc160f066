package io.kvorum.raft;

/**
 * The settings of the core. Times are in ticks; the driver decides how long a tick is.
 *
 * @param self this node
 * @param electionTicks silence of the leader after which a follower campaigns, at least; the actual
 *     limit is drawn anew from [electionTicks, 2 × electionTicks)
 * @param heartbeatTicks between two messages of a leader to an idle follower
 * @param appendBytesMax bytes of entries in one AppendEntries; a larger entry goes alone
 * @param appendEntriesMax entries in one AppendEntries
 * @param inflightMessagesMax AppendEntries with entries under way to one follower
 * @param inflightBytesMax bytes of entries under way to one follower
 * @param uncommittedBytesMax bytes of entries in the leader's log that are not committed, beyond
 *     which proposals are refused
 * @param committedBytesMax bytes of entries named in {@link Ready#committed()} and not yet reported
 *     applied, beyond which no further ones are named; a larger entry goes alone
 */
public record RaftConfig(
    NodeId self,
    int electionTicks,
    int heartbeatTicks,
    long appendBytesMax,
    int appendEntriesMax,
    int inflightMessagesMax,
    long inflightBytesMax,
    long uncommittedBytesMax,
    long committedBytesMax) {

  public RaftConfig {
    check(electionTicks > heartbeatTicks, "electionTicks must exceed heartbeatTicks");
    check(heartbeatTicks > 0, "heartbeatTicks must be positive");
    check(appendBytesMax > 0, "appendBytesMax must be positive");
    check(appendEntriesMax > 0, "appendEntriesMax must be positive");
    check(inflightMessagesMax > 0, "inflightMessagesMax must be positive");
    check(inflightBytesMax > 0, "inflightBytesMax must be positive");
    check(uncommittedBytesMax > 0, "uncommittedBytesMax must be positive");
    check(committedBytesMax > 0, "committedBytesMax must be positive");
  }

  /** The defaults: meant for a tick of 25 ms, so an election after 500 to 1,000 ms of silence. */
  public static RaftConfig of(NodeId self) {
    return new RaftConfig(self, 20, 4, 256 << 10, 256, 64, 4 << 20, 64 << 20, 16 << 20);
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
