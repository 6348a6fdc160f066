package io.kvorum.disk.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Names in a directory and what they mean: as programs see them, and as they are on the platter.
 *
 * @param <T> what has a name, told apart by identity
 */
final class Entries<T> {
  private TreeMap<String, T> seen = new TreeMap<>();
  private TreeMap<String, T> durable = new TreeMap<>();
  private final List<Change<T>> unsynced = new ArrayList<>();

  /** Something loses one name, gains another, or both in one instant. */
  private record Change<T>(T what, @Nullable String lost, @Nullable String gained) {
    void applyTo(Map<String, T> names) {
      if (lost != null) {
        names.remove(lost, what);
      }
      if (gained != null) {
        names.put(gained, what);
      }
    }
  }

  Map<String, T> names() {
    return seen;
  }

  @Nullable T get(String name) {
    return seen.get(name);
  }

  void change(T what, @Nullable String lost, @Nullable String gained) {
    Change<T> change = new Change<>(what, lost, gained);
    change.applyTo(seen);
    unsynced.add(change);
  }

  /** Puts it there as if it had always been durable. */
  void plant(String name, T what) {
    seen.put(name, what);
    durable.put(name, what);
  }

  /** The opposite of {@link #plant}. */
  void vanish(String name) {
    seen.remove(name);
    durable.remove(name);
  }

  /** Holds what the other holds, and nothing else. The other one must not be used any more. */
  void become(Entries<T> other) {
    seen = other.seen;
    durable = other.durable;
    unsynced.clear();
    unsynced.addAll(other.unsynced);
  }

  void sync() {
    durable = new TreeMap<>(seen);
    unsynced.clear();
  }

  /** Each unsynced change is kept or lost by itself. */
  void losePower(RandomGenerator random) {
    for (Change<T> change : unsynced) {
      if (random.nextBoolean()) {
        change.applyTo(durable);
      }
    }
    unsynced.clear();
    seen = new TreeMap<>(durable);
  }
}
