package io.kvorum.api;

/**
 * A member of the group, and what it does there.
 *
 * @param id the node's name
 * @param address where it is reached, {@code host:clientPort:peerPort}, a host with colons in
 *     brackets; empty when it is not known
 */
public record MemberInfo(String id, String address, Role role) {
  /** What a member does. */
  public enum Role {
    /** One of those whose majority decides. */
    VOTER,
    /** Receives the log and does not vote. */
    LEARNER,
    /** While the voters change: a voter of before, whose vote still counts. */
    OUTGOING
  }

  public MemberInfo {
    if (id.isBlank()) {
      throw new IllegalArgumentException("a member has an id");
    }
  }

  /** A member that votes. */
  public static MemberInfo voter(String id, String address) {
    return new MemberInfo(id, address, Role.VOTER);
  }

  /** A member that only receives the log. */
  public static MemberInfo learner(String id, String address) {
    return new MemberInfo(id, address, Role.LEARNER);
  }

  public MemberInfo withRole(Role other) {
    return new MemberInfo(id, address, other);
  }
}
