package io.kvorum.log;

/**
 * What was durable is damaged or missing, and no crash explains it. The node must not go on as a
 * voter: with a shortened log it could help to lose what others were told is safe (FAULTS F034).
 */
public final class CorruptLogException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final String WHAT_TO_DO =
      " No entry was removed. Do not delete single files: restore this data directory from a copy"
          + " of it. Without one the node can only return as a new member, under a new id.";

  private CorruptLogException(String message) {
    super(message + WHAT_TO_DO);
  }

  /** Damage at a place: file, byte offset, and the entry that should be there. */
  static CorruptLogException at(String file, long offset, long index, String what) {
    return new CorruptLogException(
        file + ", offset " + offset + ", entry " + index + ": " + what + ".");
  }

  /** Damage of a file as a whole. */
  static CorruptLogException of(String file, String what) {
    return new CorruptLogException(file + ": " + what + ".");
  }
}
