package io.kvorum.server.store;

/** What a lease is for: whose time it keeps. */
public enum LeaseKind {
  /** Somebody has asked for it, to hang keys on it. */
  USER(0),
  /** A client numbers its commands in it. */
  SESSION(1),
  /** The result of a command is kept under an idempotency key. */
  IDEMPOTENCY(2);

  private final byte code;

  LeaseKind(int code) {
    this.code = (byte) code;
  }

  /** How it stands on disk, which never changes. */
  byte code() {
    return code;
  }

  static LeaseKind ofCode(byte code) {
    for (LeaseKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    throw new IllegalStateException("no lease is of kind " + code);
  }
}
