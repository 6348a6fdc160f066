package io.kvorum.server.store;

import io.kvorum.raft.Entry;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the log that this version does not understand. It cannot be skipped, since other
 * members may apply it; the node stops.
 */
public final class UnknownCommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownCommandException(Entry entry, String what, @Nullable Throwable cause) {
    super(
        "entry "
            + entry
            + " "
            + what
            + "; it was written by another version of Kvorum: start that one",
        cause);
  }
}
