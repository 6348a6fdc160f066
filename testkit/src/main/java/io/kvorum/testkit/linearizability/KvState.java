package io.kvorum.testkit.linearizability;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** A store at one instant: its revision, and what its keys hold. */
public final class KvState {
  private final long revision;
  private final @Nullable KeyTree keys;

  KvState(long revision, @Nullable KeyTree keys) {
    this.revision = revision;
    this.keys = keys;
  }

  long revision() {
    return revision;
  }

  @Nullable KeyTree keys() {
    return keys;
  }

  @Nullable Held find(String key) {
    return KeyTree.find(keys, key);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KvState state
        && revision == state.revision
        && KeyTree.equals(keys, state.keys);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(revision) + KeyTree.hash(keys);
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", "revision " + revision + ": ", "");
    text.setEmptyValue("revision " + revision + ", empty");
    if (keys != null) {
      keys.describe(text);
    }
    return text.toString();
  }
}
