package io.kvorum.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A directory of the operating system's file system. */
public final class RealDisk implements Disk {
  private static final int CHANNEL_FILL_BYTES = 1 << 20;

  /**
   * Larger fills make large folios in the page cache, and each sync of a mapped page then writes a
   * whole folio, up to 1 MiB.
   */
  private static final int MAPPED_FILL_BYTES = 4096;

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(CHANNEL_FILL_BYTES);

  /** Lock files held by this JVM. The operating system's locks do not tell threads apart. */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final WriteMode writeMode;

  private RealDisk(Path path, WriteMode writeMode) {
    this.path = path;
    this.writeMode = writeMode;
  }

  /** The directory at {@code path}, written through channels; created durably when absent. */
  public static RealDisk at(Path path) {
    return at(path, WriteMode.CHANNEL);
  }

  /** The directory at {@code path}; created durably when absent, parents too. */
  public static RealDisk at(Path path, WriteMode writeMode) {
    Path absolute = path.toAbsolutePath().normalize();
    createDurably(absolute);
    return new RealDisk(absolute, writeMode);
  }

  /**
   * A new directory in the system's place for what need not outlive a process, which other users
   * cannot look into. Whoever makes it deletes it.
   */
  public static RealDisk temporary(String prefix) {
    try {
      return new RealDisk(Files.createTempDirectory(prefix).toAbsolutePath(), WriteMode.CHANNEL);
    } catch (IOException e) {
      throw IoFailure.of("create a directory for temporary files", e);
    }
  }

  private static void createDurably(Path directory) {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.getParent();
    if (parent != null) {
      createDurably(parent);
    }
    try {
      Files.createDirectory(directory);
    } catch (IOException e) {
      // Someone else may have been faster: then it is there, and as good as ours.
      if (!Files.isDirectory(directory)) {
        throw IoFailure.of("create the directory " + directory, e);
      }
    }
    if (parent != null) {
      sync(parent);
    }
  }

  /** The directory itself, for those who bring their own file format (RocksDB). */
  public Path path() {
    return path;
  }

  @Override
  public String location() {
    return path.toString();
  }

  @Override
  public List<String> list() {
    return names(Files::isRegularFile);
  }

  private List<String> names(Predicate<Path> wanted) {
    try (Stream<Path> entries = Files.list(path)) {
      return entries
          .filter(wanted)
          .map(entry -> String.valueOf(entry.getFileName()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw IoFailure.of("list " + path, e);
    } catch (UncheckedIOException e) {
      throw IoFailure.of("list " + path, new IOException(e.getMessage(), e));
    }
  }

  @Override
  public boolean exists(String name) {
    return Files.isRegularFile(resolve(name));
  }

  @Override
  public DiskFile create(String name, long bytes) {
    Path file = resolve(name);
    try {
      ChannelFile created =
          new ChannelFile(
              file,
              FileChannel.open(
                  file,
                  StandardOpenOption.CREATE_NEW,
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE));
      fill(file, created, bytes);
      return withWriteMode(created);
    } catch (IOException e) {
      throw IoFailure.of("create " + file, e);
    }
  }

  private void fill(Path path, ChannelFile file, long bytes) throws IOException {
    int step = writeMode == WriteMode.MAPPED ? MAPPED_FILL_BYTES : CHANNEL_FILL_BYTES;
    try {
      for (long at = 0; at < bytes; at += step) {
        file.write(at, ZEROS.duplicate().limit((int) Math.min(step, bytes - at)));
      }
      if (bytes > 0) {
        file.sync();
      }
    } catch (UncheckedIOException e) {
      // Half a file must not keep the last free blocks, nor be taken for a whole one.
      file.close();
      Files.deleteIfExists(path);
      throw e;
    }
  }

  @Override
  public DiskFile open(String name) {
    Path file = resolve(name);
    try {
      return withWriteMode(
          new ChannelFile(
              file, FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)));
    } catch (IOException e) {
      throw IoFailure.of("open " + file, e);
    }
  }

  private DiskFile withWriteMode(ChannelFile file) {
    boolean mappable = file.size() <= Integer.MAX_VALUE;
    return writeMode == WriteMode.MAPPED && mappable ? new MappedFile(file) : file;
  }

  @Override
  public void rename(String from, String to) {
    try {
      Files.move(resolve(from), resolve(to), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw IoFailure.of("rename " + resolve(from) + " to " + to, e);
    }
  }

  @Override
  public void delete(String name) {
    try {
      Files.delete(resolve(name));
    } catch (IOException e) {
      throw IoFailure.of("delete " + resolve(name), e);
    }
  }

  @Override
  public void syncDirectory() {
    sync(path);
  }

  private static void sync(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw IoFailure.of("sync the directory " + directory, e);
    }
  }

  @Override
  public Disk directory(String name) {
    return at(resolve(name), writeMode);
  }

  @Override
  public List<String> directories() {
    return names(Files::isDirectory);
  }

  /** The names of what is neither, sorted: pipes, sockets, links that lead nowhere. */
  public List<String> others() {
    return names(each -> !Files.isRegularFile(each) && !Files.isDirectory(each));
  }

  @Override
  public void renameDirectory(String from, String to) {
    Path target = resolve(to);
    try {
      // The system's rename would replace an empty directory.
      if (Files.exists(target)) {
        throw new FileAlreadyExistsException(target.toString());
      }
      Files.move(resolve(from), target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw IoFailure.of("rename the directory " + resolve(from) + " to " + to, e);
    }
  }

  @Override
  public void deleteDirectory(String name) {
    Path directory = resolve(name);
    try {
      if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        deleteTree(directory);
      }
    } catch (IOException e) {
      throw IoFailure.of("delete the directory " + directory, e);
    }
  }

  private static void deleteTree(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          deleteTree(entry);
        } else {
          Files.delete(entry);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    Files.delete(directory);
  }

  @Override
  public void link(String name, Disk target) {
    if (!(target instanceof RealDisk other)) {
      throw new IllegalArgumentException("cannot link from " + this + " to " + target);
    }
    Path link = other.resolve(name);
    try {
      Files.createLink(link, resolve(name));
    } catch (IOException e) {
      throw IoFailure.of("link " + resolve(name) + " to " + link, e);
    }
  }

  @Override
  public long usableBytes() {
    try {
      return Files.getFileStore(path).getUsableSpace();
    } catch (IOException e) {
      throw IoFailure.of("ask the free space of " + path, e);
    }
  }

  @Override
  public DiskLock lock(String name) {
    Path file = resolve(name);
    Path key;
    try {
      key = path.toRealPath().resolve(name);
    } catch (IOException e) {
      throw IoFailure.of("lock " + file, e);
    }
    if (!HELD.add(key)) {
      throw new DirectoryInUseException(location(), "another holder in this process");
    }
    boolean locked = false;
    try {
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!tryLock(channel)) {
        channel.close();
        throw new DirectoryInUseException(location(), "another process");
      }
      locked = true;
      return () -> unlock(key, channel);
    } catch (IOException e) {
      throw IoFailure.of("lock " + file, e);
    } finally {
      if (!locked) {
        HELD.remove(key);
      }
    }
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      // Held in this JVM by another class loader's copy of this class.
      return false;
    }
  }

  private static void unlock(Path key, FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw IoFailure.of("unlock " + key, e);
    } finally {
      HELD.remove(key);
    }
  }

  private Path resolve(String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..") || name.contains("/")) {
      throw new IllegalArgumentException("not a plain file name: \"" + name + "\"");
    }
    return path.resolve(name);
  }

  @Override
  public String toString() {
    return location() + " (" + writeMode + ")";
  }
}
