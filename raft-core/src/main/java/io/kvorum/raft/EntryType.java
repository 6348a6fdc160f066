package io.kvorum.raft;

/** What a log entry carries. The code is part of the record format and never changes. */
public enum EntryType {
  /** Nothing: the entry with which a new leader commits those of earlier terms (§5.4.2, §8). */
  NO_OP(1),
  /** A command for the state machine; its bytes mean nothing to Raft. */
  COMMAND(2),
  /** A membership of the group (§6). */
  MEMBERSHIP(3);

  private final int code;

  EntryType(int code) {
    this.code = code;
  }

  /** The number on disk and on the wire, 1 to 255. */
  public int code() {
    return code;
  }

  /**
   * The type with this code.
   *
   * @throws IllegalArgumentException if there is none; the entry comes from a newer version
   */
  public static EntryType of(int code) {
    return switch (code) {
      case 1 -> NO_OP;
      case 2 -> COMMAND;
      case 3 -> MEMBERSHIP;
      default -> throw new IllegalArgumentException("unknown entry type " + code);
    };
  }
}
