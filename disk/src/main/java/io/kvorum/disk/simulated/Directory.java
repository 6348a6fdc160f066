package io.kvorum.disk.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The names in one directory: as programs see them, and as they are on the platter. */
final class Directory {
  private TreeMap<String, Inode> seen = new TreeMap<>();
  private TreeMap<String, Inode> durable = new TreeMap<>();
  private final List<Change> unsynced = new ArrayList<>();
  final TreeMap<String, Directory> children = new TreeMap<>();
  final TreeSet<String> locks = new TreeSet<>();

  /** The inode loses one name, gains another, or both in one instant. */
  private record Change(Inode inode, @Nullable String lost, @Nullable String gained) {
    void applyTo(Map<String, Inode> names) {
      if (lost != null) {
        names.remove(lost, inode);
      }
      if (gained != null) {
        names.put(gained, inode);
      }
    }
  }

  Map<String, Inode> names() {
    return seen;
  }

  @Nullable Inode get(String name) {
    return seen.get(name);
  }

  void change(Inode inode, @Nullable String lost, @Nullable String gained) {
    Change change = new Change(inode, lost, gained);
    change.applyTo(seen);
    unsynced.add(change);
  }

  /** Puts a file there, name and all, as if it had always been durable. */
  void plant(String name, Inode inode) {
    seen.put(name, inode);
    durable.put(name, inode);
  }

  /** The opposite of {@link #plant}. */
  void vanish(String name) {
    seen.remove(name);
    durable.remove(name);
  }

  /** What programs see, as if all of it were durable. */
  Directory copy() {
    Directory copy = new Directory();
    seen.forEach((name, inode) -> copy.plant(name, inode.copy()));
    children.forEach((name, child) -> copy.children.put(name, child.copy()));
    return copy;
  }

  /** Holds what the other holds, and nothing else; directories stay the same objects. */
  void become(Directory other) {
    seen = other.seen;
    durable = other.durable;
    unsynced.clear();
    unsynced.addAll(other.unsynced);
    children.forEach((name, child) -> child.become(new Directory()));
    other.children.forEach(
        (name, child) -> children.computeIfAbsent(name, absent -> new Directory()).become(child));
  }

  void sync() {
    durable = new TreeMap<>(seen);
    unsynced.clear();
  }

  /** Each unsynced change is kept or lost; then the files lose what they had not synced. */
  void losePower(RandomGenerator random) {
    for (Change change : unsynced) {
      if (random.nextBoolean()) {
        change.applyTo(durable);
      }
    }
    unsynced.clear();
    seen = new TreeMap<>(durable);
    seen.values().forEach(inode -> inode.losePower(random));
    children.values().forEach(child -> child.losePower(random));
  }

  /** Processes are gone, the kernel is not: locks are free, everything written is still there. */
  void dropLocks() {
    locks.clear();
    children.values().forEach(Directory::dropLocks);
  }

  long usedBytes() {
    long bytes = seen.values().stream().mapToLong(Inode::size).sum();
    return bytes + children.values().stream().mapToLong(Directory::usedBytes).sum();
  }
}
