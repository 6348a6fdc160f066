package io.kvorum.raft;

/**
 * The name of a group member, unique in its cluster and never reused by another data directory.
 *
 * @param name 1 to 64 characters of {@code a-z A-Z 0-9 . _ -}
 */
public record NodeId(String name) implements Comparable<NodeId> {
  /** The longest name, in characters. */
  public static final int LENGTH_MAX = 64;

  /** What a name is made of, for messages. */
  public static final String ALLOWED = "1 to 64 characters of a-z A-Z 0-9 . _ -";

  public NodeId {
    if (name.isEmpty() || name.length() > LENGTH_MAX || !name.chars().allMatch(NodeId::isAllowed)) {
      throw new IllegalArgumentException("node id \"" + name + "\": allowed are " + ALLOWED);
    }
  }

  private static boolean isAllowed(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  @Override
  public int compareTo(NodeId other) {
    return name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return name;
  }
}
