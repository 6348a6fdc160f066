package io.kvorum.client;

import io.kvorum.api.KvException;
import io.kvorum.protocol.Limits;
import io.kvorum.protocol.ProtocolLimits;
import org.jspecify.annotations.Nullable;

/** What the cluster accepts: the protocol's own limits until a server has named its limits. */
record SizeLimits(long frameBytesMax, long keyBytesMax, long entryBytesMax) {
  static final SizeLimits DEFAULT =
      new SizeLimits(
          ProtocolLimits.FRAME_BYTES_MAX,
          ProtocolLimits.KEY_BYTES_MAX,
          ProtocolLimits.ENTRY_BYTES_MAX);

  /** What a frame holds beside keys and values: ids, tags, lengths. */
  private static final int FRAME_OVERHEAD_BYTES = 128;

  /** What a server has named; 0 means it named nothing. */
  static SizeLimits of(Limits limits) {
    return new SizeLimits(
        named(limits.getFrameBytesMax(), DEFAULT.frameBytesMax),
        named(limits.getKeyBytesMax(), DEFAULT.keyBytesMax),
        named(limits.getEntryBytesMax(), DEFAULT.entryBytesMax));
  }

  private static long named(int unsigned, long otherwise) {
    return unsigned == 0 ? otherwise : Integer.toUnsignedLong(unsigned);
  }

  /** Why no server would accept the request, or null. */
  KvException.@Nullable Rejected check(Request<?> request) {
    if (request.keyBytes() > keyBytesMax) {
      return tooLarge("a key of " + request.keyBytes() + " bytes", keyBytesMax + " bytes");
    }
    if (request.isWrite() && request.entryBytes() > entryBytesMax) {
      return tooLarge(
          "a write of " + request.entryBytes() + " bytes of keys and values",
          entryBytesMax + " bytes together");
    }
    if (request.entryBytes() + FRAME_OVERHEAD_BYTES > frameBytesMax) {
      return tooLarge(
          "a request of " + request.entryBytes() + " bytes", frameBytesMax + " bytes a frame");
    }
    return null;
  }

  private static KvException.Rejected tooLarge(String what, String limit) {
    return new KvException.Rejected(
        KvException.Reason.TOO_LARGE,
        what + " is over the limit of " + limit + "; nothing was changed");
  }
}
