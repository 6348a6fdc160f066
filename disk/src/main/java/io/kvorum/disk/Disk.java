package io.kvorum.disk;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One directory, and the only way by which durable state reaches it.
 *
 * <p>Durability is never implied: bytes of a file are durable after {@link DiskFile#sync}, a
 * directory entry (create, rename, delete, link) after {@link #syncDirectory}. Only {@link
 * #replace} and {@link #directory} do all of it themselves.
 *
 * <p>Names are plain file names without a separator. Every method throws {@link
 * UncheckedIOException} when the world fails, {@link DiskFullException} when it fails for lack of
 * space. Methods may be called from several threads; calls on one name must not race.
 */
public interface Disk {
  /** The most that {@link #read} and {@link #replace} handle: they are for small files. */
  int SMALL_BYTES_MAX = 16 << 20;

  /** So much is on the heap at a time while a file is copied. */
  int COPY_BYTES = 1 << 20;

  /** Where this directory is, for messages to people. */
  String location();

  /** The names of the files (not of the sub-directories) in it, sorted. */
  List<String> list();

  /** Whether a file of that name exists. */
  boolean exists(String name);

  /**
   * Creates a file of {@code bytes} zeros whose blocks are really written and synced, so that no
   * later write into it can lack space or change the file's metadata. The directory entry is not
   * yet durable. Leaves no file behind when it fails.
   */
  DiskFile create(String name, long bytes);

  /** Opens an existing file for reading and writing. */
  DiskFile open(String name);

  /** Renames a file; one that has the new name already is replaced in the same instant. */
  void rename(String from, String to);

  /** Deletes a file. Maps of it stay readable. */
  void delete(String name);

  /** On return all creates, renames, deletes and links so far are durable. */
  void syncDirectory();

  /** The sub-directory of that name, created durably when absent. */
  Disk directory(String name);

  /** The names of the sub-directories in it, sorted. */
  List<String> directories();

  /** Gives a sub-directory another name, which must be free. */
  void renameDirectory(String from, String to);

  /**
   * Deletes a sub-directory with all that is in it, the directory itself last; does nothing when
   * there is none. A crash may leave any part of it, until {@link #syncDirectory} has returned.
   */
  void deleteDirectory(String name);

  /**
   * Gives a file one more name: the same one in {@code target}, which must not have it yet. From
   * then on both mean the same bytes, whichever of them they are written through, and deleting one
   * leaves the other. The new name is durable after {@link #syncDirectory} of the target; the bytes
   * are as durable as they were.
   *
   * @param target a directory of the same kind, on the same file system
   */
  void link(String name, Disk target);

  /**
   * Gives a file that nobody will ever write to again the same name in {@code target}, which must
   * not have it yet: as {@link #link} where that can be done, else by a copy, whose bytes are
   * durable on return. The new name is durable after {@link #syncDirectory} of the target.
   *
   * @param target a directory of any kind, anywhere; after a failure it may hold part of the file
   */
  default void share(String name, Disk target) {
    try {
      link(name, target);
    } catch (UncheckedIOException | IllegalArgumentException notLinked) {
      // Another file system, or one that knows no links. If it was something else, copying fails
      // too, and says what.
      copy(name, target);
    }
  }

  /** As {@link #share}, but the bytes are the target's own. */
  default void copy(String name, Disk target) {
    try (DiskFile source = open(name);
        DiskFile copy = target.create(name, 0)) {
      long size = source.size();
      ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(COPY_BYTES, size));
      for (long at = 0; at < size; at += chunk.limit()) {
        chunk.clear().limit((int) Math.min(chunk.capacity(), size - at));
        source.read(at, chunk);
        copy.write(at, chunk.flip());
      }
      copy.sync();
    }
  }

  /** The space that is left, in bytes. */
  long usableBytes();

  /**
   * Takes the exclusive lock of that name, until it is closed or the process ends.
   *
   * @throws DirectoryInUseException if someone holds it, in this JVM or in another process
   */
  DiskLock lock(String name);

  /** The whole content of a small file. */
  default byte[] read(String name) {
    try (DiskFile file = open(name)) {
      if (file.size() > SMALL_BYTES_MAX) {
        throw new IllegalArgumentException(
            location() + "/" + name + " has " + file.size() + " bytes, too many to read at once");
      }
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, ByteBuffer.wrap(bytes));
      return bytes;
    }
  }

  /**
   * Gives a small file this content, durably: after a crash it has either all of the old content or
   * all of the new one, and the new one once this has returned (FAULTS F043).
   */
  default void replace(String name, byte[] content) {
    if (content.length > SMALL_BYTES_MAX) {
      throw new IllegalArgumentException(content.length + " bytes are not a small file");
    }
    String temporary = name + ".tmp";
    if (exists(temporary)) {
      delete(temporary);
    }
    try (DiskFile file = create(temporary, 0)) {
      file.write(0, ByteBuffer.wrap(content));
      // Before the rename: else a crash could leave the new name with old or no bytes.
      file.sync();
    }
    rename(temporary, name);
    syncDirectory();
  }
}
