package io.kvorum.protocol;

/**
 * The constants of protocol version 1.
 *
 * <p>The sizes are defaults: a server names those it holds to in its answer to a Hello.
 */
public final class ProtocolLimits {
  /** What a Hello carries; another version is refused with UNSUPPORTED. */
  public static final int PROTOCOL_VERSION = 1;

  /** Bytes of the length prefix of a frame: a big-endian u32 that does not count itself. */
  public static final int FRAME_PREFIX_BYTES = 4;

  /** The most bytes of a frame behind its length prefix. A longer one closes the connection. */
  public static final int FRAME_BYTES_MAX = 8 << 20;

  /** The most bytes of a key. */
  public static final int KEY_BYTES_MAX = 16 << 10;

  /** The most bytes of key and value together. */
  public static final int ENTRY_BYTES_MAX = 4 << 20;

  /**
   * The most bytes of keys and values in one answer. A range is cut short there and says {@code
   * more}; at least one key comes in any case, so an answer may hold one entry beyond this.
   */
  public static final int ANSWER_BYTES_MAX = 4 << 20;

  /** About how many bytes of events a server puts into one frame, if a single one has no more. */
  public static final int WATCH_FRAME_BYTES = 512 << 10;

  /** How many bytes of events a client takes ahead of a listener, for each watch. */
  public static final int WATCH_WINDOW_BYTES = 1 << 20;

  /** The most bytes of events of one revision for one watch. More ends it with TOO_LARGE. */
  public static final int WATCH_REVISION_BYTES_MAX = 64 << 20;

  /**
   * How far a client may number its writes beyond the lowest one that it waits for: so many results
   * does a session keep.
   */
  public static final int SESSION_UNACKNOWLEDGED_MAX = 1 << 16;

  private ProtocolLimits() {}
}
