package io.kvorum.node.netty;

import io.kvorum.raft.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Encodes entries once for all followers that get them in the same turn of the loop. Which these
 * are is told by the identity of the entries: the core hands out the ones it has in memory, in
 * lists that may be new for each follower.
 */
final class SharedPayloads {
  /** More different payloads in one turn are encoded anew when they come again. */
  static final int KEPT_MAX = 16;

  private final ByteBufAllocator allocator;
  private final int group;
  private final Deque<Payload> kept = new ArrayDeque<>();
  private long encodings;

  private record Payload(List<Entry> entries, ByteBuf bytes) {}

  SharedPayloads(ByteBufAllocator allocator, int group) {
    this.allocator = allocator;
    this.group = group;
  }

  /**
   * The records of these entries, for one follower, to be released by the caller.
   *
   * @param bytes what {@link AppendPayload#bytes} says of them
   */
  ByteBuf of(List<Entry> entries, int bytes) {
    for (Payload payload : kept) {
      if (isSame(payload.entries, entries)) {
        return payload.bytes.retainedDuplicate();
      }
    }
    if (kept.size() == KEPT_MAX) {
      kept.removeFirst().bytes.release();
    }
    encodings++;
    ByteBuf encoded = AppendPayload.encode(allocator, group, entries, bytes);
    kept.addLast(new Payload(List.copyOf(entries), encoded));
    return encoded.retainedDuplicate();
  }

  @SuppressWarnings("ReferenceEquality") // Equal entries may have different payloads.
  private static boolean isSame(List<Entry> some, List<Entry> others) {
    if (some.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      if (some.get(i) != others.get(i)) {
        return false;
      }
    }
    return true;
  }

  /** Lets go of what the followers do not hold. */
  void clear() {
    for (Payload payload : kept) {
      payload.bytes.release();
    }
    kept.clear();
  }

  /** How often entries were encoded. */
  long encodings() {
    return encodings;
  }
}
