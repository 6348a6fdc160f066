package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.server.store.protocol.Command;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Tells operations apart under one idempotency key: SHA-256 of what the command is to do. */
final class Fingerprint {
  private Fingerprint() {}

  /** Of the operation alone: not of when, by whom or how often it is proposed. */
  static Bytes of(Command command) {
    Command operation =
        command.toBuilder().clearTimeMillis().clearNumbered().clearIdempotency().build();
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return Bytes.wrapUnsafe(digest.digest(operation.toByteArray()));
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every Java has SHA-256", impossible);
    }
  }
}
