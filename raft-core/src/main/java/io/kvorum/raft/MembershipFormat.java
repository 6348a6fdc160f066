package io.kvorum.raft;

import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The bytes of a membership. Each membership has exactly one encoding: members in order of name,
 * none twice. Every member of the group must read the same from them, so nothing is tolerated.
 */
final class MembershipFormat {
  private static final int VERSION = 1;
  private static final int VOTER = 1;
  private static final int OUTGOING = 2;
  private static final int LEARNER = 4;
  private static final int ADDRESS = 8;
  private static final int ALL = VOTER | OUTGOING | LEARNER | ADDRESS;

  private final byte[] bytes;
  private int at;
  private final TreeSet<NodeId> voters = new TreeSet<>();
  private final TreeSet<NodeId> outgoing = new TreeSet<>();
  private final TreeSet<NodeId> learners = new TreeSet<>();
  private final TreeMap<NodeId, String> addresses = new TreeMap<>();

  private MembershipFormat(byte[] bytes) {
    this.bytes = bytes;
  }

  static byte[] encode(Membership membership) {
    int length = 2;
    for (NodeId member : membership.members()) {
      String address = membership.addresses().get(member);
      length += 2 + member.name().length() + (address == null ? 0 : 1 + address.length());
    }
    byte[] out = new byte[length];
    out[0] = VERSION;
    out[1] = (byte) membership.members().size();
    int end = 2;
    for (NodeId member : membership.members()) {
      String address = membership.addresses().get(member);
      out[end++] =
          (byte)
              ((membership.voters().contains(member) ? VOTER : 0)
                  | (membership.outgoing().contains(member) ? OUTGOING : 0)
                  | (membership.learners().contains(member) ? LEARNER : 0)
                  | (address != null ? ADDRESS : 0));
      end = write(out, end, member.name());
      if (address != null) {
        end = write(out, end, address);
      }
    }
    return out;
  }

  /** Names and addresses are ASCII: a byte for each character. Returns where the text ends. */
  private static int write(byte[] out, int at, String text) {
    int end = at;
    out[end++] = (byte) text.length();
    for (int i = 0; i < text.length(); i++) {
      out[end++] = (byte) text.charAt(i);
    }
    return end;
  }

  static Membership decode(byte[] bytes) {
    return new MembershipFormat(bytes).decode();
  }

  private Membership decode() {
    int version = number("version");
    if (version != VERSION) {
      throw bad("version " + version + ", this node knows " + VERSION);
    }
    int members = number("number of members");
    for (int i = 0; i < members; i++) {
      member();
    }
    if (at < bytes.length) {
      throw bad(bytes.length - at + " bytes behind the last member");
    }
    try {
      return new Membership(voters, outgoing, learners, addresses);
    } catch (IllegalArgumentException problem) {
      throw bad(String.valueOf(problem.getMessage()));
    }
  }

  private void member() {
    int flags = number("flags");
    NodeId node = node(text());
    if ((flags & ~ALL) != 0 || (flags & (VOTER | OUTGOING | LEARNER)) == 0) {
      throw bad("flags " + flags + " of " + node);
    }
    if (isBefore(node, voters) || isBefore(node, outgoing) || isBefore(node, learners)) {
      throw bad(node + " is not in order of name");
    }
    if ((flags & VOTER) != 0) {
      voters.add(node);
    }
    if ((flags & OUTGOING) != 0) {
      outgoing.add(node);
    }
    if ((flags & LEARNER) != 0) {
      learners.add(node);
    }
    if ((flags & ADDRESS) != 0) {
      addresses.put(node, text());
    }
  }

  /** Whether the node comes before or at the last one that was read. */
  private static boolean isBefore(NodeId node, SortedSet<NodeId> read) {
    return !read.isEmpty() && node.compareTo(read.last()) <= 0;
  }

  private NodeId node(String name) {
    try {
      return new NodeId(name);
    } catch (IllegalArgumentException notAName) {
      throw bad("a name that is none");
    }
  }

  private int number(String what) {
    if (at == bytes.length) {
      throw bad("it ends before the " + what);
    }
    return bytes[at++] & 0xff;
  }

  private String text() {
    int length = number("length of a name or address");
    if (length > bytes.length - at) {
      throw bad("a text of " + length + " bytes, " + (bytes.length - at) + " are left");
    }
    StringBuilder text = new StringBuilder(length);
    for (byte character : Arrays.copyOfRange(bytes, at, at + length)) {
      text.append((char) (character & 0xff));
    }
    at += length;
    return text.toString();
  }

  private InvariantViolation bad(String why) {
    return new InvariantViolation(
        "a membership of " + bytes.length + " bytes that cannot be read: " + why);
  }
}
