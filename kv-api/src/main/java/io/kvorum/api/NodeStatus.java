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
 * @param durability {@code sync}: acknowledged after a majority synced; {@code async}: before
 * @param members all members, with their progress when the node leads
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
    long revision,
    long compactRevision,
    String durability,
    List<Member> members,
    Optional<String> problem) {
  public NodeStatus {
    members = List.copyOf(members);
  }

  /** Indexes of the node's log. */
  public record LogPosition(long last, long durable, long committed, long applied) {}

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
