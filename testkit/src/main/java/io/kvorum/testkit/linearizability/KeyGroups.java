package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Joins the keys that one operation touches together (union-find), and nothing else. */
final class KeyGroups {
  private final Map<String, String> parents = new HashMap<>();

  private KeyGroups() {}

  /**
   * The history in parts, no two of which share a key; each in the order of the history.
   *
   * @param touched the keys of an operation, at least one
   */
  static <I, O> List<List<Operation<I, O>>> partition(
      List<Operation<I, O>> history, Function<Operation<I, O>, Collection<String>> touched) {
    KeyGroups groups = new KeyGroups();
    List<String> first = new ArrayList<>(history.size());
    for (Operation<I, O> operation : history) {
      Collection<String> keys = touched.apply(operation);
      first.add(keys.iterator().next());
      keys.forEach(key -> groups.join(first.get(first.size() - 1), key));
    }
    Map<String, List<Operation<I, O>>> parts = new LinkedHashMap<>();
    for (int i = 0; i < history.size(); i++) {
      String group = groups.find(first.get(i));
      parts.computeIfAbsent(group, key -> new ArrayList<>()).add(history.get(i));
    }
    return List.copyOf(parts.values());
  }

  private void join(String one, String other) {
    parents.put(find(one), find(other));
  }

  private String find(String key) {
    String at = key;
    String parent = parents.computeIfAbsent(at, self -> self);
    while (!parent.equals(at)) {
      // Halving the path keeps it short without a second pass.
      String above = parents.getOrDefault(parent, parent);
      parents.put(at, above);
      at = parent;
      parent = above;
    }
    return at;
  }
}
