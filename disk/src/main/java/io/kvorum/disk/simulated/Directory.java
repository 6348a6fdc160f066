package io.kvorum.disk.simulated;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** A directory: files, directories below it, locks. */
final class Directory {
  final Entries<Inode> files = new Entries<>();
  final Entries<Directory> directories = new Entries<>();
  final TreeSet<String> locks = new TreeSet<>();

  /** The directory of that name, created durably when absent. */
  Directory child(String name) {
    Directory child = directories.get(name);
    if (child == null) {
      child = new Directory();
      directories.plant(name, child);
    }
    return child;
  }

  /** What programs see, as if all of it were durable. A file with two names has two again. */
  Directory copy() {
    return copy(new IdentityHashMap<>());
  }

  private Directory copy(Map<Inode, Inode> copied) {
    Directory copy = new Directory();
    files
        .names()
        .forEach(
            (name, inode) ->
                copy.files.plant(name, copied.computeIfAbsent(inode, original -> original.copy())));
    directories.names().forEach((name, child) -> copy.directories.plant(name, child.copy(copied)));
    return copy;
  }

  /** Holds what the other holds, and nothing else; directories that stay are the same objects. */
  void become(Directory other) {
    files.become(other.files);
    for (String name : List.copyOf(directories.names().keySet())) {
      if (other.directories.get(name) == null) {
        child(name).become(new Directory());
        directories.vanish(name);
      }
    }
    other.directories.names().forEach((name, child) -> child(name).become(child));
  }

  void sync() {
    files.sync();
    directories.sync();
  }

  /** Each unsynced change is kept or lost; then the files lose what they had not synced. */
  void losePower(RandomGenerator random) {
    files.losePower(random);
    files.names().values().forEach(inode -> inode.losePower(random));
    directories.losePower(random);
    directories.names().values().forEach(child -> child.losePower(random));
  }

  /** Processes are gone, the kernel is not: locks are free, everything written is still there. */
  void dropLocks() {
    locks.clear();
    directories.names().values().forEach(Directory::dropLocks);
  }

  /** A file with two names takes its space once. */
  long usedBytes() {
    Set<Inode> counted = Collections.newSetFromMap(new IdentityHashMap<>());
    collect(counted);
    return counted.stream().mapToLong(Inode::size).sum();
  }

  private void collect(Set<Inode> inodes) {
    inodes.addAll(files.names().values());
    directories.names().values().forEach(child -> child.collect(inodes));
  }
}
