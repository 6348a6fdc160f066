package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The tables of a store, each an ordered map of byte strings (docs/FORMATS.md, "Store"). */
public enum Table {
  /** User key to its newest row; a deleted key keeps a tombstone until compaction. */
  LATEST("latest", 0),
  /** Revision and sub-number to what happened there. */
  REV("rev", 1),
  /** Leases by id, and the keys that hang on them. */
  LEASE("lease", 2),
  /** Results of commands that may come again: by session and number, and by idempotency key. */
  SESSION("session", 3),
  /** What the store knows of itself: what is applied, its revision, its format. */
  META("meta", 4);

  private final String label;
  private final int code;

  Table(String label, int code) {
    this.label = label;
    this.code = code;
  }

  /** The name on disk, which never changes. */
  public String label() {
    return label;
  }

  /** The name on disk as UTF-8. */
  public byte[] labelBytes() {
    return label.getBytes(UTF_8);
  }

  /** Its number in what is hashed, which never changes. */
  int code() {
    return code;
  }

  /** The table of that number. */
  static Table ofCode(int code) {
    for (Table table : values()) {
      if (table.code == code) {
        return table;
      }
    }
    throw new IllegalArgumentException("no table has the number " + code);
  }
}
