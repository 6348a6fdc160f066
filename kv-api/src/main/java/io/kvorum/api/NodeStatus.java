package io.kvorum.api;

import java.util.List;
import java.util.Optional;

/**
 * What one node says of itself; not linearizable.
 *
 * @param endpoint where it was asked; empty for an embedded node
 * @param version of Kvorum
 * @param role follower, candidate, leader, …, in lower case
 * @param leader the id of the leader, as far as it knows
 * @param space that the store takes, as of what the node has applied
 * @param durability {@code sync}: acknowledged after a majority synced; {@code async}: before
 * @param members all members, with their progress when the node leads
 * @param features what not every version of Kvorum can do, as far as this node's can; in an order
 *     that does not change. None if its version does not say
 * @param problem what a person should look at; empty when there is nothing
 */
public record NodeStatus(
    String endpoint,
    String clusterId,
    String nodeId,
    String version,
    String role,
    long term,
    Optional<String> leader,
    LogPosition log,
    Snapshots snapshots,
    Disk disk,
    long revision,
    long compactRevision,
    SpaceUse space,
    String durability,
    List<Member> members,
    List<Feature> features,
    Optional<String> problem) {
  public NodeStatus {
    members = List.copyOf(members);
    features = List.copyOf(features);
  }

  /** Indexes of the node's log. */
  public record LogPosition(long last, long durable, long committed, long applied) {}

  /**
   * What the node keeps of its past.
   *
   * @param index of the last entry in its newest snapshot; 0 if it has none
   * @param bytes of that snapshot's files, some of which it may share with the state
   * @param logFirst index of the first entry that its log still has
   * @param logBytes how much disk the log takes
   * @param transfer what is on its way between members
   * @param activity what goes on about snapshots, in words; empty when nothing does
   */
  public record Snapshots(
      long index, long bytes, long logFirst, long logBytes, Transfer transfer, String activity) {
    /** Of a node that keeps none. */
    public static final Snapshots NONE = new Snapshots(0, 0, 0, 0, Transfer.NONE, "");
  }

  /**
   * Snapshots on their way between members.
   *
   * @param receivedBytes how much of the one that arrives is here
   * @param receivingBytes how much it is as a whole; 0: none arrives
   * @param sendingTo the members that are being sent one
   */
  public record Transfer(long receivedBytes, long receivingBytes, List<String> sendingTo) {
    /** Nothing. */
    public static final Transfer NONE = new Transfer(0, 0, List.of());

    public Transfer {
      sendingTo = List.copyOf(sendingTo);
    }
  }

  /**
   * Something that not every version of Kvorum can do.
   *
   * @param used whether the group's log has used it: then no older version may take part any more
   * @param missing who keeps it from being used, in words; empty when nobody does
   */
  public record Feature(String name, boolean used, String missing) {}

  /**
   * The disk that the node's data directory is on.
   *
   * @param state ok; low: what needs space is refused; critical: the reserve is given up, too;
   *     empty if the node does not watch it
   * @param lowBytes the low mark
   * @param reserve whether what is kept in reserve is there
   */
  public record Disk(String state, long usableBytes, long lowBytes, boolean reserve) {
    /** Of a node that does not watch it. */
    public static final Disk UNWATCHED = new Disk("", 0, 0, false);
  }

  /**
   * A member of the group.
   *
   * @param endpoint for clients; empty when the node does not know it
   * @param matchIndex up to where its log is durable, as the leader knows; 0 when a follower
   *     answers
   * @param active whether the leader heard it lately; false when a follower answers
   */
  public record Member(
      String nodeId, String endpoint, MemberInfo.Role role, long matchIndex, boolean active) {}
}
