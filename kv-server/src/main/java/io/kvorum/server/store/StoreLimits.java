package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.IdempotencyKey;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Idempotency;
import io.kvorum.server.store.protocol.Numbered;
import org.jspecify.annotations.Nullable;

/**
 * Limits that decide whether a command takes effect. They are part of the replicated state's rules:
 * every member has the same, and changing one needs a version (FAULTS F142). The front asks here
 * before it proposes; apply asks again, so that a replay decides as the first time did.
 */
public final class StoreLimits {
  /** The longest key. */
  public static final int KEY_BYTES_MAX = ProtocolLimits.KEY_BYTES_MAX;

  /** The longest command, as its bytes stand in the log: the largest entry, and what frames it. */
  public static final int COMMAND_BYTES_MAX = ProtocolLimits.ENTRY_BYTES_MAX + (1 << 10);

  /** The most bytes of a key and what an append makes of its value. */
  public static final int ENTRY_BYTES_MAX = ProtocolLimits.ENTRY_BYTES_MAX;

  /** The most keys that one command changes: they are numbered in 16 bits inside its revision. */
  public static final int CHANGES_MAX = 1 << 16;

  /**
   * The most keys that the comparisons and reads of a command look at, each key of a range counted
   * and each key that is missing: nothing else is applied meanwhile.
   */
  public static final int LOOKED_AT_MAX = 1 << 16;

  /**
   * The most bytes of keys and values that a command gives back, read or held before, each key
   * counted with {@link #KEY_VALUE_OVERHEAD_BYTES}. A single one is given back whatever its size.
   */
  public static final int TXN_ANSWER_BYTES_MAX = 4 << 20;

  /** The shortest time to live of a lease: what is shorter is raised to it. */
  public static final long LEASE_TTL_MILLIS_MIN = 2_000;

  /** The longest time to live of a lease, as in etcd. */
  public static final long LEASE_TTL_MILLIS_MAX = 9_000_000_000_000L;

  /** The most results that are kept for a session, if its client acknowledges none. */
  public static final int SESSION_REPLIES_MAX = ProtocolLimits.SESSION_UNACKNOWLEDGED_MAX;

  /** From so many bytes of these on, nothing more is executed in the session. */
  public static final long SESSION_REPLY_BYTES_MAX = 32 << 20;

  /** The most idempotency keys that are remembered at a time. */
  public static final int IDEMPOTENCY_RECORDS_MAX = 1 << 20;

  /** From so many bytes of keys and results on, no more are remembered. */
  public static final long IDEMPOTENCY_BYTES_MAX = 256 << 20;

  /** What a key and value in an answer count beyond their bytes. */
  public static final int KEY_VALUE_OVERHEAD_BYTES = 64;

  private StoreLimits() {}

  /** Why the key is not accepted, or null. */
  public static @Nullable Refusal refuseKey(Bytes key) {
    if (key.isEmpty()) {
      return new Refusal(Reason.INVALID_ARGUMENT, "a key has at least one byte");
    }
    return refuseLength("the key", key, KEY_BYTES_MAX);
  }

  /** Why the range is not accepted, or null. Its end may be one byte longer than a key. */
  public static @Nullable Refusal refuseRange(KeyRange range) {
    Refusal from = refuseKey(range.from());
    return from != null || range.to() == null
        ? from
        : refuseLength("the end of the range", range.to(), KEY_BYTES_MAX + 1);
  }

  /** Why the encoded command is not accepted, or null. */
  public static @Nullable Refusal refuseCommand(byte[] command) {
    return command.length <= COMMAND_BYTES_MAX
        ? null
        : tooLarge("the command has " + command.length, COMMAND_BYTES_MAX);
  }

  /** Why a command can have no number in a session, or not this one; or null. */
  static @Nullable Refusal refuseNumbered(Command command) {
    Numbered numbered = command.getNumbered();
    return switch (command.getOpCase()) {
      case PUT, DELETE_RANGE, TXN, COMPACT, LEASE_GRANT, LEASE_REVOKE -> {
        boolean isRight =
            !command.getLeaseGrant().getSession()
                && numbered.getSequence() > 0
                && numbered.getAcknowledgedBelow() >= 0
                && numbered.getAcknowledgedBelow() <= numbered.getSequence();
        yield isRight
            ? null
            : invalid(
                "a number in a session is positive, not acknowledged by itself, and not of a new"
                    + " session");
      }
      default -> invalid("a " + command.getOpCase() + " has no number in a session");
    };
  }

  /** Why a command can have no idempotency key, or not this one; or null. */
  public static @Nullable Refusal refuseIdempotency(Command command) {
    Idempotency idempotency = command.getIdempotency();
    int keyBytes = idempotency.getKey().size();
    if (keyBytes == 0 || keyBytes > IdempotencyKey.KEY_BYTES_MAX) {
      return invalid(
          "an idempotency key has 1 to "
              + IdempotencyKey.KEY_BYTES_MAX
              + " bytes, not "
              + keyBytes);
    }
    long ttl = idempotency.getTtlMillis();
    if (ttl <= 0 || ttl > IdempotencyKey.TTL_MAX.toMillis()) {
      return invalid(
          "an idempotency key lives for 1 to "
              + IdempotencyKey.TTL_MAX.toMillis()
              + " ms, not "
              + ttl);
    }
    return switch (command.getOpCase()) {
      case PUT, DELETE_RANGE, TXN -> null;
      default -> invalid("a " + command.getOpCase() + " has no idempotency key");
    };
  }

  private static Refusal invalid(String why) {
    return new Refusal(Reason.INVALID_ARGUMENT, why + "; nothing was changed");
  }

  /** Why the quota is not accepted, or null. */
  public static @Nullable Refusal refuseQuota(long bytes) {
    boolean isRight = bytes >= 0 && bytes <= Space.QUOTA_BYTES_MAX;
    return isRight
        ? null
        : invalid("a quota has 0 (none) to " + Space.QUOTA_BYTES_MAX + " bytes, not " + bytes);
  }

  /** What a key and value count against the limit of an answer. */
  static long answerBytes(KeyValue keyValue) {
    return (long) keyValue.key().size() + keyValue.value().size() + KEY_VALUE_OVERHEAD_BYTES;
  }

  private static @Nullable Refusal refuseLength(String what, Bytes bytes, int most) {
    return bytes.size() <= most ? null : tooLarge(what + " has " + bytes.size(), most);
  }

  private static Refusal tooLarge(String what, int most) {
    return new Refusal(Reason.TOO_LARGE, what + " bytes, the limit is " + most);
  }
}
