package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import org.jspecify.annotations.Nullable;

/** Which keys arguments mean, in etcdctl's way: KEY, KEY END, KEY --prefix, KEY --from-key. */
final class KeyArguments {
  private KeyArguments() {}

  /**
   * The range.
   *
   * @throws KvException.Rejected for an empty key, and for a reversed or empty range
   */
  static KeyRange range(Bytes key, @Nullable Bytes end, boolean prefix, boolean fromKey) {
    if ((prefix ? 1 : 0) + (fromKey ? 1 : 0) + (end == null ? 0 : 1) > 1) {
      throw CommandFailure.usage("END, --prefix and --from-key exclude each other");
    }
    try {
      if (prefix) {
        return KeyRange.prefix(key);
      }
      if (fromKey) {
        return key.isEmpty() ? KeyRange.all() : KeyRange.from(key);
      }
      if (end != null) {
        return KeyRange.of(key, end);
      }
      if (key.isEmpty()) {
        throw new IllegalArgumentException("the key is empty: a key has at least one byte");
      }
      return KeyRange.single(key);
    } catch (IllegalArgumentException wrong) {
      throw new KvException.Rejected(Reason.INVALID_ARGUMENT, String.valueOf(wrong.getMessage()));
    }
  }
}
