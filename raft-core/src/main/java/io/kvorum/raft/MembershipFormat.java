package io.kvorum.raft;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.NavigableSet;
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

  private final ByteBuffer in;
  private final TreeSet<NodeId> voters = new TreeSet<>();
  private final TreeSet<NodeId> outgoing = new TreeSet<>();
  private final TreeSet<NodeId> learners = new TreeSet<>();
  private final TreeMap<NodeId, String> addresses = new TreeMap<>();

  private MembershipFormat(byte[] bytes) {
    in = ByteBuffer.wrap(bytes);
  }

  static byte[] encode(Membership membership) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(VERSION);
    out.write(membership.members().size());
    for (NodeId member : membership.members()) {
      String address = membership.addresses().get(member);
      out.write(
          (membership.voters().contains(member) ? VOTER : 0)
              | (membership.outgoing().contains(member) ? OUTGOING : 0)
              | (membership.learners().contains(member) ? LEARNER : 0)
              | (address != null ? ADDRESS : 0));
      write(out, member.name(), StandardCharsets.US_ASCII);
      if (address != null) {
        write(out, address, StandardCharsets.UTF_8);
      }
    }
    return out.toByteArray();
  }

  private static void write(ByteArrayOutputStream out, String text, Charset charset) {
    byte[] bytes = text.getBytes(charset);
    out.write(bytes.length);
    out.writeBytes(bytes);
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
    if (in.hasRemaining()) {
      throw bad(in.remaining() + " bytes behind the last member");
    }
    try {
      return new Membership(voters, outgoing, learners, addresses);
    } catch (IllegalArgumentException problem) {
      throw bad(String.valueOf(problem.getMessage()));
    }
  }

  private void member() {
    int flags = number("flags");
    NodeId node = node(text(StandardCharsets.US_ASCII));
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
      addresses.put(node, text(StandardCharsets.UTF_8));
    }
  }

  /** Whether the node comes before or at the last one that was read. */
  private static boolean isBefore(NodeId node, NavigableSet<NodeId> read) {
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
    if (!in.hasRemaining()) {
      throw bad("it ends before the " + what);
    }
    return in.get() & 0xff;
  }

  private String text(Charset charset) {
    int length = number("length of a name or address");
    if (length > in.remaining()) {
      throw bad("a text of " + length + " bytes, " + in.remaining() + " are left");
    }
    ByteBuffer bytes = in.slice(in.position(), length);
    in.position(in.position() + length);
    try {
      CharBuffer text = charset.newDecoder().decode(bytes);
      return text.toString();
    } catch (CharacterCodingException malformed) {
      throw bad("a text that is not " + charset);
    }
  }

  private InvariantViolation bad(String why) {
    return new InvariantViolation(
        "a membership of " + in.capacity() + " bytes that cannot be read: " + why);
  }
}
