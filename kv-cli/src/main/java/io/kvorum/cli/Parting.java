package io.kvorum.cli;

import io.kvorum.raft.EntryId;
import io.kvorum.server.inspect.NodeLook;
import io.kvorum.server.store.StateHash;
import io.kvorum.server.store.StateReport;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether nodes of one cluster have applied what excludes each other. Raft never lets that happen;
 * it does when directories of an earlier time were started without those who have more.
 */
final class Parting {
  private Parting() {}

  /** What shows it, in words; null: nothing does. */
  static @Nullable String of(List<NodeLook> looks) {
    for (int i = 0; i < looks.size(); i++) {
      for (NodeLook other : looks.subList(i + 1, looks.size())) {
        String shown = shown(looks.get(i), other);
        if (shown != null) {
          return shown;
        }
      }
    }
    return null;
  }

  private static @Nullable String shown(NodeLook one, NodeLook other) {
    if (one.identity().isQuarantined() || other.identity().isQuarantined()) {
      // It knows that it is wrong, and rebuilds its state.
      return null;
    }
    // Where logs agree at one place, they agree before it (§5.3).
    long index = Math.min(one.applied().index(), other.applied().index());
    EntryId first = one.entry(index);
    EntryId second = other.entry(index);
    if (first != null && second != null && !first.equals(second)) {
      return "%s has applied %s, and %s has applied %s"
          .formatted(one.name(), first, other.name(), second);
    }
    StateHash hash = hash(one);
    StateHash otherHash = hash(other);
    boolean isComparable = hash != null && otherHash != null;
    return isComparable && one.applied().equals(other.applied()) && !Objects.equals(hash, otherHash)
        ? "%s and %s have both applied %s, and their states differ"
            .formatted(one.name(), other.name(), one.applied())
        : null;
  }

  /** Of what it has applied; null: it is not known, or its state is built anew. */
  private static @Nullable StateHash hash(NodeLook look) {
    StateReport said = look.state().said();
    boolean isIts = said != null && look.rebuild() == null && look.state().problem() == null;
    return isIts ? Objects.requireNonNull(said).hash() : null;
  }
}
