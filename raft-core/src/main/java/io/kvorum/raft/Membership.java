package io.kvorum.raft;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The members of a group (§6). While the voters change, both the old and the new ones have to
 * agree: then the membership is joint.
 *
 * @param voters those whose majority decides, in order of name; unmodifiable
 * @param outgoing the voters of the old configuration while the membership is joint, of whom a
 *     majority must agree too; empty otherwise; unmodifiable
 * @param learners those who only receive the log, in order of name; unmodifiable. One that is also
 *     outgoing still votes
 * @param addresses what the layers above need to reach a member; the core only carries it. Not
 *     every member must have one; unmodifiable
 */
public record Membership(
    SortedSet<NodeId> voters,
    SortedSet<NodeId> outgoing,
    SortedSet<NodeId> learners,
    SortedMap<NodeId, String> addresses) {
  /** The longest address, in characters, each of which is printable ASCII. */
  public static final int ADDRESS_BYTES_MAX = 255;

  /** The most members that a membership names, outgoing ones and learners included. */
  public static final int MEMBERS_MAX = 255;

  /** Of a node that does not know its group yet. */
  public static final Membership EMPTY = of(new TreeSet<>());

  public Membership {
    voters = Collections.unmodifiableSortedSet(new TreeSet<>(voters));
    outgoing = Collections.unmodifiableSortedSet(new TreeSet<>(outgoing));
    learners = Collections.unmodifiableSortedSet(new TreeSet<>(learners));
    addresses = Collections.unmodifiableSortedMap(new TreeMap<>(addresses));
    String problem = problem(voters, outgoing, learners, addresses);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** A membership that is not joint, without addresses. */
  public Membership(SortedSet<NodeId> voters, SortedSet<NodeId> learners) {
    this(voters, new TreeSet<>(), learners, new TreeMap<>());
  }

  /** A group of voters only. */
  public static Membership of(Collection<NodeId> voters) {
    return new Membership(new TreeSet<>(voters), new TreeSet<>());
  }

  /** Why these parts make no membership, or null if they do. */
  static @Nullable String problem(
      SortedSet<NodeId> voters,
      SortedSet<NodeId> outgoing,
      SortedSet<NodeId> learners,
      SortedMap<NodeId, String> addresses) {
    SortedSet<NodeId> members = union(voters, outgoing, learners);
    if (voters.isEmpty() && !members.isEmpty()) {
      return "a group without voters";
    }
    if (!Collections.disjoint(voters, learners)) {
      return "both voter and learner: " + voters + ", " + learners;
    }
    if (members.size() > MEMBERS_MAX) {
      return members.size() + " members, at most " + MEMBERS_MAX + " are allowed";
    }
    for (Map.Entry<NodeId, String> address : addresses.entrySet()) {
      if (!members.contains(address.getKey())) {
        return "an address of " + address.getKey() + ", which is no member";
      }
      String text = address.getValue();
      if (text.length() > ADDRESS_BYTES_MAX) {
        return "the address of %s has %d characters, at most %d are allowed"
            .formatted(address.getKey(), text.length(), ADDRESS_BYTES_MAX);
      }
      if (!text.chars().allMatch(character -> character > ' ' && character < 0x7f)) {
        return "the address of " + address.getKey() + " is not printable ASCII without blanks";
      }
    }
    return null;
  }

  private static SortedSet<NodeId> union(
      SortedSet<NodeId> voters, SortedSet<NodeId> outgoing, SortedSet<NodeId> learners) {
    TreeSet<NodeId> all = new TreeSet<>(voters);
    all.addAll(outgoing);
    all.addAll(learners);
    return all;
  }

  /** Whether nobody is a member: the group is not known. */
  public boolean isEmpty() {
    return voters.isEmpty();
  }

  /** Whether the old voters have to agree as well. */
  public boolean isJoint() {
    return !outgoing.isEmpty();
  }

  /** Whether this node's vote counts, in the new configuration or in the old one. */
  public boolean isVoter(NodeId node) {
    return voters.contains(node) || outgoing.contains(node);
  }

  public boolean isMember(NodeId node) {
    return isVoter(node) || learners.contains(node);
  }

  /** Voters, outgoing voters and learners, in order of name. */
  public SortedSet<NodeId> members() {
    return Collections.unmodifiableSortedSet(union(voters, outgoing, learners));
  }

  /** The smallest number of voters of which any two sets share a member. */
  public int majority() {
    return Quorum.majority(voters.size());
  }

  /** Whether these can decide without the others; while it is joint, for both configurations. */
  public boolean isMajority(Set<NodeId> nodes) {
    return isMajority(voters, nodes) && (outgoing.isEmpty() || isMajority(outgoing, nodes));
  }

  private static boolean isMajority(SortedSet<NodeId> voters, Set<NodeId> nodes) {
    long among = voters.stream().filter(nodes::contains).count();
    return among >= Quorum.majority(voters.size());
  }

  /** What follows a joint membership: the old voters are gone. */
  Membership left() {
    TreeMap<NodeId, String> kept = new TreeMap<>(addresses);
    kept.keySet().retainAll(union(voters, new TreeSet<>(), learners));
    return new Membership(voters, new TreeSet<>(), learners, kept);
  }

  /**
   * The payload of an entry of type {@link EntryType#MEMBERSHIP}; docs/FORMATS.md has the bytes.
   */
  public byte[] encode() {
    return MembershipFormat.encode(this);
  }

  /**
   * The reverse of {@link #encode}.
   *
   * @throws InvariantViolation if the bytes are no membership, or one of a newer version
   */
  public static Membership decode(byte[] bytes) {
    return MembershipFormat.decode(bytes);
  }

  @Override
  public String toString() {
    if (isEmpty()) {
      return "unknown";
    }
    return "voters="
        + voters
        + (isJoint() ? " outgoing=" + outgoing : "")
        + (learners.isEmpty() ? "" : " learners=" + learners)
        + (addresses.isEmpty() ? "" : " addresses=" + addresses);
  }
}
