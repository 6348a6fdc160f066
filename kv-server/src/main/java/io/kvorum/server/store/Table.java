package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The tables of a store, each an ordered map of byte strings (docs/FORMATS.md, "Store"). */
public enum Table {
  /** User key to its newest row; a deleted key keeps a tombstone until compaction. */
  LATEST("latest"),
  /** Revision and sub-number to what happened there. */
  REV("rev"),
  /** Leases by id, and the keys that hang on them. */
  LEASE("lease"),
  /** Results of commands that may come again: by session and number, and by idempotency key. */
  SESSION("session"),
  /** What the store knows of itself: what is applied, its revision, its format. */
  META("meta");

  private final String label;

  Table(String label) {
    this.label = label;
  }

  /** The name on disk, which never changes. */
  public String label() {
    return label;
  }

  /** The name on disk as UTF-8. */
  public byte[] labelBytes() {
    return label.getBytes(UTF_8);
  }
}
