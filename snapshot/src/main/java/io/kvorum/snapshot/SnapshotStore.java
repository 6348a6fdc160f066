package io.kvorum.snapshot;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.DiskFullException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots of one node, each in a directory of its own (docs/FORMATS.md):
 *
 * <pre>
 *   00000000000000004711-3/          published: the state as of entry 4711 of term 3
 *     MANIFEST                       what it is, and which content its files have
 *     files/
 *   00000000000000005000-3.part/     arriving from another member, laid out in the same way
 *   draft/                           being taken
 * </pre>
 *
 * <p>A snapshot is made under a name that says that it is not one, and gets its own by a rename of
 * the directory, when all in it is durable and was read back. So whatever a crash leaves under such
 * a name is whole (FAULTS F043, F067). A name without a manifest is what an interrupted deletion
 * has left: the manifest goes first. All of it is cleared away when the store is opened; only what
 * has arrived so far stays, to be gone on with.
 *
 * <p>A published snapshot that is no longer what its manifest says does not count; it is kept, and
 * named by {@link #damaged}, until {@link #retain} has enough that are good.
 *
 * <p>The methods block on the disk and belong to one thread at a time, as do drafts and receipts;
 * only {@link #published}, {@link #newest}, {@link #find}, {@link #lend} and {@link #read} may be
 * called from any thread beside them. A call that has failed leaves the store usable.
 */
public final class SnapshotStore implements AutoCloseable {
  private static final String PART = ".part";
  private static final String DRAFT = "draft";

  private final Disk directory;
  private final String clusterId;
  private volatile List<Manifest> published = List.of();
  private volatile Set<String> lent = Set.of();

  /** By name, what is wrong with them. */
  private final Map<String, String> damaged = new TreeMap<>();

  private @Nullable Draft draft;
  private @Nullable Receipt receipt;
  private @Nullable StoredSnapshot shared;

  private SnapshotStore(Disk directory, String clusterId) {
    this.directory = directory;
    this.clusterId = clusterId;
  }

  /**
   * Opens the snapshots in the directory, and clears away what is none.
   *
   * @param directory of nothing but snapshots; directories with other names are left alone
   * @throws SnapshotRefusedException if one is of another cluster, or of a newer version of Kvorum;
   *     then nothing was changed
   */
  public static SnapshotStore open(Disk directory, String clusterId) {
    SnapshotStore store = new SnapshotStore(directory, clusterId);
    // An earlier process may have died before its sync: what we see must be durable.
    directory.syncDirectory();
    store.clearAway(store.scan());
    return store;
  }

  /** Finds what there is; returns the names of what is to go. */
  private List<String> scan() {
    List<String> leftovers = new ArrayList<>();
    List<Manifest> found = new ArrayList<>();
    for (String name : directory.directories()) {
      if (name.equals(DRAFT)) {
        leftovers.add(name);
      } else if (Manifest.isName(name)) {
        Disk snapshot = directory.directory(name);
        if (snapshot.exists(SnapshotDirectory.MANIFEST)) {
          load(name, snapshot, found);
        } else {
          leftovers.add(name);
        }
      }
    }
    found.sort(Comparator.comparing(Manifest::name));
    published = List.copyOf(found);
    return leftovers;
  }

  private void load(String name, Disk snapshot, List<Manifest> found) {
    try {
      Manifest manifest = SnapshotDirectory.manifest(snapshot, clusterId);
      if (!manifest.name().equals(name)) {
        throw new CorruptSnapshotException(
            snapshot.location(), "its manifest is that of " + manifest.name());
      }
      SnapshotDirectory.checkFiles(snapshot, manifest);
      found.add(manifest);
    } catch (CorruptSnapshotException e) {
      damaged.put(name, String.valueOf(e.getMessage()));
    }
  }

  private void clearAway(List<String> leftovers) {
    leftovers.forEach(directory::deleteDirectory);
    int gone = leftovers.size() + clearParts(null);
    if (gone > 0) {
      directory.syncDirectory();
    }
  }

  /** What arrives, or did, except for one. Keeps what may still become newer than all we have. */
  private int clearParts(@Nullable String kept) {
    Manifest newest = newest();
    int gone = 0;
    for (String name : directory.directories()) {
      boolean arriving =
          name.endsWith(PART) && Manifest.isName(name.substring(0, name.length() - PART.length()));
      if (arriving && !name.equals(kept)) {
        boolean useless =
            kept != null
                || (newest != null && name.compareTo(newest.name()) < 0)
                || !directory.directory(name).exists(SnapshotDirectory.MANIFEST);
        if (useless) {
          directory.deleteDirectory(name);
          gone++;
        }
      }
    }
    return gone;
  }

  // ---- what there is ----

  /** The snapshots that count, the oldest first. */
  public List<Manifest> published() {
    return published;
  }

  /** The newest one that counts, if there is one. */
  public @Nullable Manifest newest() {
    List<Manifest> all = published;
    return all.isEmpty() ? null : all.get(all.size() - 1);
  }

  /** The one of that name, if it counts. */
  public @Nullable Manifest find(String name) {
    for (Manifest manifest : published) {
      if (manifest.name().equals(name)) {
        return manifest;
      }
    }
    return null;
  }

  /** What is wrong with those that do not count, for a person to read. */
  public List<String> damaged() {
    return List.copyOf(damaged.values());
  }

  /**
   * The files of a snapshot, to be read or linked, not to be changed.
   *
   * @throws SnapshotGoneException if it is not there any more
   */
  public Disk files(Manifest manifest) {
    return SnapshotDirectory.files(existing(manifest.name()));
  }

  private Disk existing(String name) {
    if (find(name) == null) {
      throw new SnapshotGoneException(name, directory.location());
    }
    return directory.directory(name);
  }

  /**
   * From now on {@link #retain} keeps these besides, and no others that were named here before. Any
   * thread.
   *
   * @param names of snapshots that somebody outside reads
   */
  public void lend(Set<String> names) {
    lent = Set.copyOf(names);
  }

  /**
   * Part of a file of a snapshot, from any thread.
   *
   * @param file its number in the manifest, from 0
   * @param length how many bytes; all of them must exist
   * @throws SnapshotGoneException if there is no such snapshot
   * @throws IllegalArgumentException if it has no such bytes
   */
  public byte[] read(String name, int file, long offset, int length) {
    Manifest manifest = find(name);
    if (manifest == null) {
      throw new SnapshotGoneException(name, directory.location());
    }
    if (file < 0 || file >= manifest.files().size()) {
      throw new IllegalArgumentException("snapshot " + name + " has no file " + file);
    }
    SnapshotFile wanted = manifest.files().get(file);
    if (offset < 0 || length < 0 || length > wanted.bytes() - offset) {
      throw new IllegalArgumentException(
          wanted.name() + " of " + name + " has no " + length + " bytes at " + offset);
    }
    byte[] bytes = new byte[length];
    try (DiskFile open = files(manifest).open(wanted.name())) {
      open.read(offset, ByteBuffer.wrap(bytes));
      return bytes;
    } catch (UncheckedIOException e) {
      // It may have been deleted since we looked.
      files(manifest);
      throw e;
    }
  }

  /**
   * Reads all of a snapshot and compares it with its manifest.
   *
   * @throws CorruptSnapshotException if anything differs; it names the file
   * @throws SnapshotGoneException if it is not there
   */
  public void verify(Manifest manifest) {
    Disk snapshot = existing(manifest.name());
    if (!SnapshotDirectory.manifest(snapshot, clusterId).equals(manifest)) {
      throw new CorruptSnapshotException(snapshot.location(), "its manifest has changed");
    }
    SnapshotDirectory.verify(snapshot, manifest);
  }

  /**
   * As {@link #verify}; a damaged one is removed: it is of no use to anybody, and in the way of the
   * next one of the same state.
   *
   * @throws CorruptSnapshotException as {@link #verify}, when it is gone
   */
  public void verifyOrRemove(Manifest manifest) {
    try {
      verify(manifest);
    } catch (CorruptSnapshotException damaged) {
      remove(manifest);
      throw damaged;
    }
  }

  // ---- what comes and goes ----

  /** Begins a snapshot of this node's own state. There is one at a time. */
  public Draft draft() {
    if (draft != null) {
      throw new IllegalStateException("a snapshot is being taken already");
    }
    directory.deleteDirectory(DRAFT);
    draft = new Draft(this, clusterId, directory.directory(DRAFT));
    return draft;
  }

  /**
   * Begins to receive a snapshot, or goes on with it. What had arrived of another one is dropped,
   * and so is an older receipt. Files whose content is here already, under the same name in an
   * earlier snapshot, are linked.
   *
   * @throws SnapshotRefusedException if it is of another cluster
   */
  public Receipt receive(Manifest offered) {
    SnapshotDirectory.checkCluster(offered, clusterId, "the offered snapshot " + offered.name());
    if (receipt != null) {
      receipt.close();
      receipt = null;
    }
    if (find(offered.name()) != null) {
      // The state as of an entry is one and the same, whoever has taken the snapshot.
      return new Receipt(this, offered, null);
    }
    String part = offered.name() + PART;
    if (directory.directories().contains(part) && !isPartOf(offered, part)) {
      directory.deleteDirectory(part);
    }
    clearParts(part);
    receipt = new Receipt(this, offered, begin(part, offered));
    return receipt;
  }

  private Disk begin(String part, Manifest offered) {
    Disk disk = directory.directory(part);
    try {
      if (!disk.exists(SnapshotDirectory.MANIFEST)) {
        disk.replace(SnapshotDirectory.MANIFEST, offered.encode());
      }
      return disk;
    } catch (DiskFullException e) {
      discardPart(offered);
      throw e;
    }
  }

  private boolean isPartOf(Manifest offered, String part) {
    Disk disk = directory.directory(part);
    try {
      return disk.exists(SnapshotDirectory.MANIFEST)
          && SnapshotDirectory.manifest(disk, clusterId).equals(offered);
    } catch (CorruptSnapshotException | SnapshotRefusedException e) {
      // It cannot be gone on with, and nothing depends on it.
      return false;
    }
  }

  /**
   * What arrives from now on is not only linked from own snapshots, but from this one as well, or
   * copied where it lies on another file system. Like those it is read through before it counts.
   */
  public void share(StoredSnapshot other) {
    shared = other;
  }

  /** Where a file of the same name and content lies, if any snapshot has one. */
  @Nullable Disk holderOf(SnapshotFile wanted) {
    StoredSnapshot other = shared;
    if (other != null && other.manifest().files().contains(wanted)) {
      return other.files();
    }
    for (Manifest manifest : published) {
      if (manifest.files().contains(wanted)) {
        return files(manifest);
      }
    }
    return null;
  }

  /** All in it is durable but its name: gives it its own. */
  Manifest publish(String temporary, Manifest manifest) {
    Manifest before = find(manifest.name());
    if (before != null) {
      directory.deleteDirectory(temporary);
      return before;
    }
    // Once more, since from here on it counts.
    SnapshotDirectory.checkFiles(directory.directory(temporary), manifest);
    if (directory.directories().contains(manifest.name())) {
      // What is left of a damaged one.
      delete(manifest.name());
      damaged.remove(manifest.name());
    }
    directory.renameDirectory(temporary, manifest.name());
    directory.syncDirectory();
    List<Manifest> all = new ArrayList<>(published);
    all.add(manifest);
    all.sort(Comparator.comparing(Manifest::name));
    published = List.copyOf(all);
    return manifest;
  }

  Manifest publishDraft(Manifest manifest) {
    draft = null;
    return publish(DRAFT, manifest);
  }

  Manifest publishPart(Manifest manifest) {
    receipt = null;
    return publish(manifest.name() + PART, manifest);
  }

  void discardDraft() {
    draft = null;
    directory.deleteDirectory(DRAFT);
    directory.syncDirectory();
  }

  void discardPart(Manifest manifest) {
    receipt = null;
    directory.deleteDirectory(manifest.name() + PART);
    directory.syncDirectory();
  }

  /**
   * Deletes the oldest ones, and what is left of damaged ones if none of the good ones is wanting.
   *
   * @param count how many to keep, at least one
   * @param inUse which ones to keep besides
   */
  public void retain(int count, Predicate<Manifest> inUse) {
    if (count < 1) {
      throw new IllegalArgumentException("keep " + count + " snapshots");
    }
    List<Manifest> all = published;
    for (Manifest old : all.subList(0, Math.max(0, all.size() - count))) {
      if (!inUse.test(old) && !lent.contains(old.name())) {
        remove(old);
      }
    }
    if (all.size() >= count) {
      for (String name : List.copyOf(damaged.keySet())) {
        delete(name);
        damaged.remove(name);
      }
    }
    if (clearParts(receipt == null ? null : receipt.manifest().name() + PART) > 0) {
      directory.syncDirectory();
    }
  }

  /** Deletes a snapshot; does nothing if it is gone. */
  public void remove(Manifest manifest) {
    if (find(manifest.name()) == null) {
      return;
    }
    List<Manifest> left = new ArrayList<>(published);
    left.removeIf(each -> each.name().equals(manifest.name()));
    published = List.copyOf(left);
    delete(manifest.name());
  }

  /** Lets go of what is arriving; what is here of it stays, to be gone on with. */
  @Override
  public void close() {
    if (receipt != null) {
      receipt.close();
      receipt = null;
    }
  }

  private void delete(String name) {
    Disk snapshot = directory.directory(name);
    // First of all, and durably: with it there, what is left of the files would count as damaged.
    if (snapshot.exists(SnapshotDirectory.MANIFEST)) {
      snapshot.delete(SnapshotDirectory.MANIFEST);
      snapshot.syncDirectory();
    }
    directory.deleteDirectory(name);
    directory.syncDirectory();
  }
}
