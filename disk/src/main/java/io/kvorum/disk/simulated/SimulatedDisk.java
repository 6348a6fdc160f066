package io.kvorum.disk.simulated;

import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.DiskLock;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A directory on a simulated disk. Everything random comes from the generator it was given, so the
 * same calls have the same outcome.
 *
 * <p>It is as hostile as a real disk may be: when power is lost, each page that was written and not
 * synced is lost, kept, or torn between its 512-byte sectors; each create, rename, delete and link
 * that was not followed by a directory sync is kept or lost by itself; dirty sectors may reach the
 * platter at any time before. After a failed sync the dirty pages count as clean and are lost.
 * Kinder than reality in two ways: creating a directory is durable at once, and sectors never hold
 * a mixture of old and new bytes.
 *
 * <p>Faults, power and counters belong to the machine: they are shared by all directories reached
 * from one root. All methods may be called from any thread.
 */
public final class SimulatedDisk implements Disk {
  private final Drive drive;
  private final Directory directory;
  private final String location;

  private SimulatedDisk(Drive drive, Directory directory, String location) {
    this.drive = drive;
    this.directory = directory;
    this.location = location;
  }

  /** The empty root of a new machine's disk. */
  public static SimulatedDisk create(RandomGenerator random) {
    Drive drive = new Drive(random);
    return new SimulatedDisk(drive, drive.root, "simulated:");
  }

  // ---- power, faults, counters ----

  /**
   * Power is lost at the {@code call}-th call from now (from 1), before it takes effect: it throws
   * {@link SimulatedCrash}, and so does everything until {@link #restart}.
   */
  public void crashBefore(long call) {
    drive.crashAt(call, false);
  }

  /** As {@link #crashBefore}, but the call takes effect first; the caller does not learn of it. */
  public void crashAfter(long call) {
    drive.crashAt(call, true);
  }

  /** The {@code call}-th call from now (from 1) fails with an I/O error; a write in part. */
  public void failAt(long call) {
    drive.failAt(call, false);
  }

  /** The {@code call}-th call from now and all after it fail with an I/O error. */
  public void failFrom(long call) {
    drive.failAt(call, true);
  }

  /** Each call fails with an I/O error by chance, until {@link #restart}; a write in part. */
  public void failPerMille(int rate) {
    drive.failPerMille(rate);
  }

  /** Power is lost now. */
  public void crash() {
    drive.crash();
  }

  /**
   * Starts the machine's processes anew: after a crash with what survived, else (as after a kill of
   * the process) with everything written. Handles from before are dead, locks free, faults gone.
   */
  public void restart() {
    drive.restart();
  }

  /** Takes back every crash and failure that was asked for and has not happened. */
  public void calm() {
    drive.calm();
  }

  /** From now on all files together have at most this many bytes. */
  public void quotaBytes(long bytes) {
    drive.quotaBytes(bytes);
  }

  /** From now on there is space for this many bytes more than there are. */
  public void spaceLeft(long bytes) {
    synchronized (drive) {
      drive.quotaBytes(drive.root.usedBytes() + bytes);
    }
  }

  /**
   * From the {@code call}-th call on (from 1) nothing has space any more: neither a byte more nor a
   * file more, whatever is deleted, until another quota is set.
   */
  public void fullFrom(long call) {
    drive.fullFrom(call);
  }

  /** Whether power was lost and is not back. */
  public boolean isDown() {
    return drive.isDown();
  }

  /** How many calls of that kind there were. */
  public long count(Call kind) {
    return drive.count(kind);
  }

  /** How many calls there were that {@link #crashBefore} and {@link #failAt} count. */
  public long calls() {
    return drive.count(null);
  }

  // ---- damage behind the program's back ----

  /** Inverts one bit of a file, durably. */
  public void flipBit(String name, long bit) {
    synchronized (drive) {
      byte[] content = content(name);
      content[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
      existing(name, "damage").damage(content);
    }
  }

  /** Sets bytes of a file to zero, durably; {@code to} is exclusive. */
  public void zero(String name, int from, int to) {
    synchronized (drive) {
      byte[] content = content(name);
      Arrays.fill(content, from, to, (byte) 0);
      existing(name, "damage").damage(content);
    }
  }

  /** The files in this directory, sorted; also while power is off. */
  public List<String> names() {
    synchronized (drive) {
      return List.copyOf(directory.files.names().keySet());
    }
  }

  /** The directories in this directory, sorted; also while power is off. */
  public List<String> childNames() {
    synchronized (drive) {
      return List.copyOf(directory.directories.names().keySet());
    }
  }

  /** The directory below this one, also while power is off. */
  public SimulatedDisk child(String name) {
    synchronized (drive) {
      return new SimulatedDisk(drive, directory.child(name), location + "/" + name);
    }
  }

  /** Puts a file there, or replaces its content, durably and uncounted. */
  public void plant(String name, byte[] content) {
    synchronized (drive) {
      Inode inode = new Inode();
      inode.damage(content);
      directory.files.plant(name, inode);
    }
  }

  /** The file is gone, durably and uncounted. */
  public void lose(String name) {
    synchronized (drive) {
      existing(name, "lose");
      directory.files.vanish(name);
    }
  }

  /** The content of a disk, put aside. */
  public static final class Image {
    private final Directory content;

    private Image(Directory content) {
      this.content = content;
    }

    /** Of an empty disk. */
    public static Image empty() {
      return new Image(new Directory());
    }
  }

  /** A copy of this directory and those below it, as programs see them. */
  public Image image() {
    synchronized (drive) {
      return new Image(directory.copy());
    }
  }

  /** This directory and those below it hold what the image holds, durably and uncounted. */
  public void restore(Image image) {
    synchronized (drive) {
      directory.become(image.content.copy());
    }
  }

  /** A copy of the file as programs see it. */
  public byte[] content(String name) {
    synchronized (drive) {
      return existing(name, "copy").seen().clone();
    }
  }

  // ---- the port ----

  @Override
  public String location() {
    return location;
  }

  @Override
  public List<String> list() {
    synchronized (drive) {
      checkPower();
      return List.copyOf(directory.files.names().keySet());
    }
  }

  @Override
  public boolean exists(String name) {
    synchronized (drive) {
      checkPower();
      return directory.files.get(name) != null;
    }
  }

  @Override
  public DiskFile create(String name, long bytes) {
    synchronized (drive) {
      checkPower();
      checkName(name);
      checkFree(name, "create ");
      String target = location + "/" + name;
      Inode inode = new Inode();
      drive.call(Call.CREATE, target, () -> directory.files.change(inode, null, name), () -> {});
      DiskFile file = new SimulatedFile(drive, inode, target);
      if (bytes > 0) {
        fill(name, inode, file, bytes);
      }
      return file;
    }
  }

  private void fill(String name, Inode inode, DiskFile file, long bytes) {
    try {
      file.write(0, ByteBuffer.allocate(Math.toIntExact(bytes)));
      file.sync();
    } catch (UncheckedIOException e) {
      directory.files.change(inode, name, null);
      throw e;
    }
  }

  @Override
  public DiskFile open(String name) {
    synchronized (drive) {
      checkPower();
      return new SimulatedFile(drive, existing(name, "open"), location + "/" + name);
    }
  }

  @Override
  public void rename(String from, String to) {
    synchronized (drive) {
      checkPower();
      checkName(to);
      Inode inode = existing(from, "rename");
      drive.call(
          Call.RENAME,
          location + "/" + from,
          () -> directory.files.change(inode, from, to),
          () -> {});
    }
  }

  @Override
  public void delete(String name) {
    synchronized (drive) {
      checkPower();
      Inode inode = existing(name, "delete");
      drive.call(
          Call.DELETE,
          location + "/" + name,
          () -> directory.files.change(inode, name, null),
          () -> {});
    }
  }

  @Override
  public void syncDirectory() {
    synchronized (drive) {
      checkPower();
      drive.call(Call.SYNC_DIRECTORY, location, directory::sync, () -> {});
    }
  }

  @Override
  public SimulatedDisk directory(String name) {
    synchronized (drive) {
      checkPower();
      checkName(name);
      return new SimulatedDisk(drive, directory.child(name), location + "/" + name);
    }
  }

  @Override
  public List<String> directories() {
    synchronized (drive) {
      checkPower();
      return List.copyOf(directory.directories.names().keySet());
    }
  }

  @Override
  public void renameDirectory(String from, String to) {
    synchronized (drive) {
      checkPower();
      checkName(to);
      checkFree(to, "rename " + location + "/" + from + " to ");
      Directory child = directory.directories.get(from);
      if (child == null) {
        throw missing(from, "rename");
      }
      drive.call(
          Call.RENAME,
          location + "/" + from,
          () -> directory.directories.change(child, from, to),
          () -> {});
    }
  }

  @Override
  public void deleteDirectory(String name) {
    synchronized (drive) {
      checkPower();
      checkName(name);
      Directory child = directory.directories.get(name);
      if (child == null) {
        return;
      }
      SimulatedDisk below = new SimulatedDisk(drive, child, location + "/" + name);
      below.directories().forEach(below::deleteDirectory);
      below.list().forEach(below::delete);
      drive.call(
          Call.DELETE,
          location + "/" + name,
          () -> directory.directories.change(child, name, null),
          () -> {});
    }
  }

  @Override
  public void link(String name, Disk target) {
    synchronized (drive) {
      checkPower();
      Inode inode = existing(name, "link");
      if (!(target instanceof SimulatedDisk other) || other.drive != drive) {
        throw new IllegalArgumentException("cannot link from " + this + " to " + target);
      }
      other.checkFree(name, "link " + location + "/" + name + " to ");
      drive.call(
          Call.LINK,
          other.location + "/" + name,
          () -> other.directory.files.change(inode, null, name),
          () -> {});
    }
  }

  @Override
  public long usableBytes() {
    synchronized (drive) {
      checkPower();
      return drive.usableBytes();
    }
  }

  @Override
  public DiskLock lock(String name) {
    synchronized (drive) {
      checkPower();
      checkName(name);
      if (!directory.locks.add(name)) {
        throw new DirectoryInUseException(location, "another holder on this machine");
      }
      int holder = drive.generation();
      return () -> unlock(name, holder);
    }
  }

  private void unlock(String name, int holder) {
    synchronized (drive) {
      // A lock of a dead process was freed with it; someone else may hold it now.
      if (holder == drive.generation()) {
        directory.locks.remove(name);
      }
    }
  }

  private void checkPower() {
    drive.checkPower(drive.generation());
  }

  private Inode existing(String name, String action) {
    Inode inode = directory.files.get(name);
    if (inode == null) {
      throw missing(name, action);
    }
    return inode;
  }

  private UncheckedIOException missing(String name, String action) {
    String target = location + "/" + name;
    return new UncheckedIOException(
        "cannot " + action + " " + target + ": no such file", new NoSuchFileException(target));
  }

  private void checkFree(String name, String action) {
    if (directory.files.get(name) != null || directory.directories.get(name) != null) {
      String target = location + "/" + name;
      throw new UncheckedIOException(
          "cannot " + action + target + ": it exists", new FileAlreadyExistsException(target));
    }
  }

  private static void checkName(String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..") || name.contains("/")) {
      throw new IllegalArgumentException("not a plain file name: \"" + name + "\"");
    }
  }

  @Override
  public String toString() {
    return location;
  }
}
