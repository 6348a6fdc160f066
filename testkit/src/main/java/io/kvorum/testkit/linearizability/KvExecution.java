package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One operation, executed on a state: what the keys hold then, and what it found on its way. */
final class KvExecution {
  /**
   * What of a key and of the store the states hold. The rest stays 0 in them.
   *
   * @param revision the store's; so also if one of a key's is tracked
   */
  record Tracked(boolean revision, boolean createRevision, boolean modRevision, boolean version) {
    static final Tracked ALL = new Tracked(true, true, true, true);
  }

  private final Tracked tracked;
  private final long revision;
  private @Nullable KeyTree keys;
  private boolean changed;
  private final boolean succeeded;
  private final List<@Nullable Held> found = new ArrayList<>(2);

  /**
   * @param revision what a change is made at; negative as in {@link Held}
   */
  KvExecution(KvState state, KvInput input, long revision, Tracked tracked) {
    this.keys = state.keys();
    this.revision = revision;
    this.tracked = tracked;
    if (input instanceof KvInput.Single single) {
      succeeded = execute(single);
    } else if (input instanceof KvInput.Txn txn) {
      succeeded =
          txn.compares().stream().allMatch(compare -> compare.holds(state.find(compare.key())));
      executeAll(succeeded ? txn.success() : txn.failure());
    } else {
      throw new AssertionError("no such input: " + input);
    }
  }

  private void executeAll(List<KvInput.Single> branch) {
    for (KvInput.Single single : branch) {
      execute(single);
      if (!(single instanceof KvInput.Get)) {
        // A transaction answers what its gets found, and nothing else.
        found.remove(found.size() - 1);
      }
    }
  }

  private boolean execute(KvInput.Single single) {
    String key = single.key();
    Held held = KeyTree.find(keys, key);
    found.add(held);
    if (single instanceof KvInput.Get) {
      return held != null;
    }
    if (single instanceof KvInput.Put put) {
      return put(key, held, put.value());
    }
    if (single instanceof KvInput.Append append) {
      return put(key, held, (held == null ? "" : held.value()) + append.suffix());
    }
    if (single instanceof KvInput.CompareAndSet set) {
      boolean holds = held == null ? set.expected() == null : held.value().equals(set.expected());
      return holds && put(key, held, set.value());
    }
    if (single instanceof KvInput.Delete) {
      if (held != null) {
        keys = KeyTree.remove(keys, key);
        changed = true;
      }
      return held != null;
    }
    throw new AssertionError("no such input: " + single);
  }

  private boolean put(String key, @Nullable Held before, String value) {
    long created = before == null ? revision : before.createRevision();
    long version = before == null ? 1 : before.version() + 1;
    Held now =
        new Held(
            value,
            tracked.createRevision() ? created : 0,
            tracked.modRevision() ? revision : 0,
            tracked.version() ? version : 0);
    keys = KeyTree.put(keys, key, now);
    changed = true;
    return true;
  }

  @Nullable KeyTree keys() {
    return keys;
  }

  boolean changed() {
    return changed;
  }

  boolean succeeded() {
    return succeeded;
  }

  /** For a get what it found, for a change what it replaced, for a transaction all its gets. */
  List<@Nullable Held> found() {
    return found;
  }
}
