package io.kvorum.log;

/**
 * What was durable is damaged or missing, and no crash explains it. The node must not go on as a
 * voter: with a shortened log it could help to lose what others were told is safe (FAULTS F034).
 */
public final class CorruptLogException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final String WHAT_TO_DO =
      " No entry was removed: do not delete single files. \"kvorum doctor\" says what there is. A"
          + " member of a group with enough others fetches what is damaged again when it starts;"
          + " where nobody else has it, bring back a copy of this data directory, or a backup"
          + " (kvorum restore). In a group with others the node can also return as a new member,"
          + " under a new id (kvorum members replace).";

  private final transient LogDamage damage;
  private final boolean isOfAnotherVersion;

  private CorruptLogException(LogDamage damage) {
    super(damage + "." + WHAT_TO_DO);
    this.damage = damage;
    isOfAnotherVersion = false;
  }

  private CorruptLogException(String file, int found, int known) {
    super(
        file
            + " has format "
            + found
            + ", this version of Kvorum reads formats up to "
            + known
            + ": start the version that wrote it. Nothing was changed");
    damage = new LogDamage(file, 0, 0, "it has format " + found + ", known are up to " + known);
    isOfAnotherVersion = true;
  }

  /** A file that is whole, as far as can be told, but of a format that only later versions have. */
  static CorruptLogException ofAnotherVersion(String file, int found, int known) {
    return new CorruptLogException(file, found, known);
  }

  /** Damage at a place: file, byte offset, and the entry that should be there. */
  static CorruptLogException at(String file, long offset, long index, String what) {
    return new CorruptLogException(new LogDamage(file, offset, index, what));
  }

  /** Damage of a file as a whole. */
  static CorruptLogException of(String file, String what) {
    return new CorruptLogException(new LogDamage(file, 0, 0, what));
  }

  /** Whether nothing is lost: another version of Kvorum can read it. */
  public boolean isOfAnotherVersion() {
    return isOfAnotherVersion;
  }

  /** What is damaged, and where. */
  public LogDamage damage() {
    return damage;
  }
}
