package io.kvorum.api;

import java.time.Duration;

/**
 * A request that did not succeed. Its type says what the caller may conclude.
 *
 * <p>Thrown by blocking calls; the cause of a failed future of asynchronous ones.
 */
public abstract sealed class KvException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private KvException(String message) {
    super(message);
  }

  /** Certainly not executed. Trying again is safe, and may succeed. */
  public static sealed class Unavailable extends KvException {
    private static final long serialVersionUID = 1L;

    public Unavailable(String message) {
      super(message);
    }
  }

  /** Certainly not executed: the cluster has more work than it may hold. Try again later. */
  public static final class Overloaded extends Unavailable {
    private static final long serialVersionUID = 1L;

    private final long retryAfterMillis;

    public Overloaded(String message, Duration retryAfter) {
      super(message);
      this.retryAfterMillis = retryAfter.toMillis();
    }

    /** When the cluster suggests to try again. */
    public Duration retryAfter() {
      return Duration.ofMillis(retryAfterMillis);
    }
  }

  /**
   * Certainly not executed: it needs space, and the disks of the cluster have too little. What
   * needs none goes on: reads, deletes, transactions that put nothing, compaction, the end of
   * leases. The message says which node has how much. Trying again helps only when there is space
   * again.
   */
  public static final class NoSpace extends Unavailable {
    private static final long serialVersionUID = 1L;

    public NoSpace(String message) {
      super(message);
    }
  }

  /** Certainly not executed: this client was closed. Another one may succeed. */
  public static final class ClientClosed extends Unavailable {
    private static final long serialVersionUID = 1L;

    public ClientClosed() {
      super("the client is closed");
    }
  }

  /** May have been executed, once; or may still be. Reading tells. */
  public static final class OutcomeUnknown extends KvException {
    private static final long serialVersionUID = 1L;

    public OutcomeUnknown(String message) {
      super(message);
    }
  }

  /** Not executed, and never will be as it stands; the message says what was wrong. */
  public static sealed class Rejected extends KvException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    public Rejected(Reason reason, String message) {
      super(message);
      this.reason = reason;
    }

    public Reason reason() {
      return reason;
    }
  }

  /**
   * The revision asked for is no longer kept: compaction has removed what was replaced before
   * {@link #compactRevision()}. Asking again at that revision or a later one may succeed.
   */
  public static final class Compacted extends Rejected {
    private static final long serialVersionUID = 1L;

    private final long compactRevision;

    public Compacted(String message, long compactRevision) {
      super(Reason.REVISION_COMPACTED, message);
      this.compactRevision = compactRevision;
    }

    /** The oldest revision that can be read. */
    public long compactRevision() {
      return compactRevision;
    }
  }

  /** Why a request was rejected. */
  public enum Reason {
    INVALID_ARGUMENT,
    /** Key, value or answer over the limit that the message names. */
    TOO_LARGE,
    /** The revision asked for is no longer kept: always {@link Compacted}. */
    REVISION_COMPACTED,
    /** The revision asked for does not exist yet. */
    REVISION_IN_FUTURE,
    /** The endpoint belongs to another cluster than the client was told. */
    WRONG_CLUSTER,
    /** The server does not know this request or this version of the protocol. */
    UNSUPPORTED,
    /** A put that keeps value or lease, of a key that does not exist. */
    KEY_NOT_FOUND,
    LEASE_NOT_FOUND,
    /** A grant under an id that another lease has. */
    LEASE_EXISTS,
    /** A grant for longer than any lease lives. */
    LEASE_TTL_TOO_LARGE,
    /**
     * The session that the client numbers its writes in is over. Clients see to it themselves, and
     * tell their callers what it means for each call.
     */
    SESSION_EXPIRED,
    /** An idempotency key that the cluster remembers with another operation. */
    IDEMPOTENCY_KEY_REUSED,
    /** A transaction could put a key twice, or put and delete it. */
    DUPLICATE_KEY,
    /** A transaction has more operations, or is nested deeper, than the message allows. */
    TOO_MANY_OPERATIONS,
    /** An addition to a value that is not 8 bytes long. */
    NOT_A_COUNTER,
    /** An addition whose sum has more than 64 bits. */
    COUNTER_OVERFLOW,
    /** A change of the members that is not allowed so, or not now. */
    MEMBERS_REFUSED,
    /** The members are not those any more that the change was based on. */
    MEMBERS_CHANGED,
    /** A snapshot that was to be read is not there any more. */
    SNAPSHOT_GONE,
    /**
     * It would make the store larger than its quota. The same may succeed when keys are deleted and
     * history is compacted, or the quota is raised: see {@link ClusterAdmin#space}.
     */
    SPACE_EXCEEDED
  }
}
