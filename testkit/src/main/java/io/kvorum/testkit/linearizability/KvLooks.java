package io.kvorum.testkit.linearizability;

import io.kvorum.testkit.linearizability.KvInput.Append;
import io.kvorum.testkit.linearizability.KvInput.CompareAndSet;
import io.kvorum.testkit.linearizability.KvInput.Put;
import io.kvorum.testkit.linearizability.KvInput.Txn;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which values the operations of a history look at. Two puts of a key whose values nobody looks at
 * are alike: whatever tells that one of them took effect is told by the other as well.
 */
final class KvLooks {
  /** So that no two different operations are alike. */
  static final KvLooks AT_EVERYTHING = new KvLooks(Set.of(), true);

  /** All operations of a class on a key, with values that nobody looks at. */
  private record Alike(Class<?> operation, String key) {}

  private final Set<String> values;
  private final boolean atEverything;

  private KvLooks(Set<String> values, boolean atEverything) {
    this.values = values;
    this.atEverything = atEverything;
  }

  static KvLooks of(List<Operation<KvInput, KvOutput>> history) {
    Set<String> values = new HashSet<>();
    for (Operation<KvInput, KvOutput> operation : history) {
      if (operation.output() != null) {
        operation.output().seen().forEach(seen -> add(values, seen.value()));
      }
      if (operation.input() instanceof CompareAndSet set) {
        add(values, set.expected());
      }
      if (operation.input() instanceof Txn txn) {
        if (txn.compares().stream().anyMatch(compare -> compare.value() != null)) {
          // Greater and less look at every value.
          return AT_EVERYTHING;
        }
        txn.success().forEach(single -> addExpected(values, single));
        txn.failure().forEach(single -> addExpected(values, single));
      }
    }
    return new KvLooks(values, false);
  }

  private static void addExpected(Set<String> values, KvInput single) {
    if (single instanceof CompareAndSet set) {
      add(values, set.expected());
    }
  }

  private static void add(Set<String> values, @Nullable String value) {
    if (value != null) {
      values.add(value);
    }
  }

  /** Equal for operations that are alike; see {@link Model#kind}. */
  Object kind(KvInput input) {
    if (input instanceof Put put && isUnseen(put.value())) {
      return new Alike(Put.class, put.key());
    }
    if (input instanceof Append append && isUnseen(append.suffix())) {
      return new Alike(Append.class, append.key());
    }
    return input;
  }

  /** Nobody looks at a value that holds this one, as what it is or as what was appended to. */
  private boolean isUnseen(String value) {
    return !atEverything && values.stream().noneMatch(looked -> looked.contains(value));
  }
}
