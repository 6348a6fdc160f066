package io.kvorum.raft;

import java.util.List;

/**
 * The settings of the core. Times are in ticks; the driver decides how long a tick is.
 *
 * @param self this node
 * @param electionTicks silence of the leader after which a follower campaigns, at least; the actual
 *     limit is drawn anew from [electionTicks, 2 × electionTicks)
 * @param heartbeatTicks between two messages of a leader to an idle follower
 * @param tickNanos the least time between two ticks by this node's clock; leases are computed from
 *     it, so the driver may be late with a tick and never early
 * @param appendBytesMax bytes of entries in one AppendEntries; a larger entry goes alone
 * @param appendEntriesMax entries in one AppendEntries
 * @param inflightMessagesMax AppendEntries with entries under way to one follower
 * @param inflightBytesMax bytes of entries under way to one follower
 * @param uncommittedBytesMax bytes of entries in the leader's log that are not committed, beyond
 *     which proposals are refused
 * @param committedBytesMax bytes of entries named in {@link Ready#committed()} and not yet reported
 *     applied, beyond which no further ones are named; a larger entry goes alone
 * @param leaseReads whether followers promise a leader that they have heard not to vote for an
 *     election timeout, and the leader answers {@link ReadMode#LEASE} reads by that. The same on
 *     all members, as electionTicks and tickNanos then are
 * @param clockDriftPermille by how many thousandths a second of one member's clock may differ from
 *     that of another's
 * @param quiesceTicks of idleness after which the group stops its heartbeats; 0: never
 * @param diskStallTicks without any progress of the own disk, while a write waits for it, after
 *     which this node does not lead; 0: never
 * @param preferredLeaders who should lead, best first; the same on all members. Empty: nobody
 */
public record RaftConfig(
    NodeId self,
    int electionTicks,
    int heartbeatTicks,
    long tickNanos,
    long appendBytesMax,
    int appendEntriesMax,
    int inflightMessagesMax,
    long inflightBytesMax,
    long uncommittedBytesMax,
    long committedBytesMax,
    boolean leaseReads,
    int clockDriftPermille,
    int quiesceTicks,
    int diskStallTicks,
    List<NodeId> preferredLeaders) {

  public RaftConfig {
    check(electionTicks > heartbeatTicks, "electionTicks must exceed heartbeatTicks");
    check(heartbeatTicks > 0, "heartbeatTicks must be positive");
    check(tickNanos > 0, "tickNanos must be positive");
    check(appendBytesMax > 0, "appendBytesMax must be positive");
    check(appendEntriesMax > 0, "appendEntriesMax must be positive");
    check(inflightMessagesMax > 0, "inflightMessagesMax must be positive");
    check(inflightBytesMax > 0, "inflightBytesMax must be positive");
    check(uncommittedBytesMax > 0, "uncommittedBytesMax must be positive");
    check(committedBytesMax > 0, "committedBytesMax must be positive");
    check(
        clockDriftPermille >= 0 && clockDriftPermille < 1000,
        "clockDriftPermille must be from 0 to 999");
    check(quiesceTicks >= 0, "quiesceTicks must not be negative");
    check(
        diskStallTicks == 0 || diskStallTicks >= electionTicks,
        "diskStallTicks must be 0 or at least electionTicks");
    preferredLeaders = List.copyOf(preferredLeaders);
    check(
        preferredLeaders.stream().distinct().count() == preferredLeaders.size(),
        "preferredLeaders must not name a node twice");
  }

  /** The defaults: meant for a tick of 25 ms, so an election after 500 to 1,000 ms of silence. */
  public static RaftConfig of(NodeId self) {
    return builder(self).build();
  }

  /** A builder that holds the defaults. */
  public static Builder builder(NodeId self) {
    return new Builder(self);
  }

  /** A builder that holds these settings. */
  public Builder toBuilder() {
    return new Builder(self)
        .electionTicks(electionTicks)
        .heartbeatTicks(heartbeatTicks)
        .tickNanos(tickNanos)
        .appendBytesMax(appendBytesMax)
        .appendEntriesMax(appendEntriesMax)
        .inflightMessagesMax(inflightMessagesMax)
        .inflightBytesMax(inflightBytesMax)
        .uncommittedBytesMax(uncommittedBytesMax)
        .committedBytesMax(committedBytesMax)
        .leaseReads(leaseReads)
        .clockDriftPermille(clockDriftPermille)
        .quiesceTicks(quiesceTicks)
        .diskStallTicks(diskStallTicks)
        .preferredLeaders(preferredLeaders);
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }

  /** Collects settings; {@link #build} checks them. Each method sets the component of its name. */
  public static final class Builder {
    private static final int STALL_ELECTIONS_DEFAULT = 4;
    private static final int STALL_NOT_SET = -1;

    private final NodeId self;
    private int electionTicks = 20;
    private int heartbeatTicks = 4;
    private long tickNanos = 25_000_000;
    private long appendBytesMax = 256 << 10;
    private int appendEntriesMax = 256;
    private int inflightMessagesMax = 64;
    private long inflightBytesMax = 4 << 20;
    private long uncommittedBytesMax = 64 << 20;
    private long committedBytesMax = 16 << 20;
    private boolean leaseReads;
    private int clockDriftPermille = 50;
    private int quiesceTicks;
    private int diskStallTicks = STALL_NOT_SET;
    private List<NodeId> preferredLeaders = List.of();

    private Builder(NodeId self) {
      this.self = self;
    }

    public Builder electionTicks(int ticks) {
      electionTicks = ticks;
      return this;
    }

    public Builder heartbeatTicks(int ticks) {
      heartbeatTicks = ticks;
      return this;
    }

    public Builder tickNanos(long nanos) {
      tickNanos = nanos;
      return this;
    }

    public Builder appendBytesMax(long bytes) {
      appendBytesMax = bytes;
      return this;
    }

    public Builder appendEntriesMax(int entries) {
      appendEntriesMax = entries;
      return this;
    }

    public Builder inflightMessagesMax(int messages) {
      inflightMessagesMax = messages;
      return this;
    }

    public Builder inflightBytesMax(long bytes) {
      inflightBytesMax = bytes;
      return this;
    }

    public Builder uncommittedBytesMax(long bytes) {
      uncommittedBytesMax = bytes;
      return this;
    }

    public Builder committedBytesMax(long bytes) {
      committedBytesMax = bytes;
      return this;
    }

    public Builder leaseReads(boolean on) {
      leaseReads = on;
      return this;
    }

    public Builder clockDriftPermille(int permille) {
      clockDriftPermille = permille;
      return this;
    }

    public Builder quiesceTicks(int ticks) {
      quiesceTicks = ticks;
      return this;
    }

    /** Four election timeouts unless set: twice what a disk may take without any consequence. */
    public Builder diskStallTicks(int ticks) {
      diskStallTicks = ticks;
      return this;
    }

    public Builder preferredLeaders(List<NodeId> bestFirst) {
      preferredLeaders = bestFirst;
      return this;
    }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException names the rule that they break
     */
    public RaftConfig build() {
      int stallTicks =
          diskStallTicks == STALL_NOT_SET
              ? STALL_ELECTIONS_DEFAULT * electionTicks
              : diskStallTicks;
      return new RaftConfig(
          self,
          electionTicks,
          heartbeatTicks,
          tickNanos,
          appendBytesMax,
          appendEntriesMax,
          inflightMessagesMax,
          inflightBytesMax,
          uncommittedBytesMax,
          committedBytesMax,
          leaseReads,
          clockDriftPermille,
          quiesceTicks,
          stallTicks,
          preferredLeaders);
    }
  }
}
