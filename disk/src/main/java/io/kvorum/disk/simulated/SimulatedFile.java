package io.kvorum.disk.simulated;

import io.kvorum.disk.DiskFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** A handle of a file on the simulated disk. */
final class SimulatedFile implements DiskFile {
  private final Drive drive;
  private final Inode inode;
  private final String location;
  private final int generation;
  private boolean closed;

  SimulatedFile(Drive drive, Inode inode, String location) {
    this.drive = drive;
    this.inode = inode;
    this.location = location;
    this.generation = drive.generation();
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public long size() {
    synchronized (drive) {
      checkOpen();
      return inode.size();
    }
  }

  @Override
  public void write(long position, ByteBuffer bytes) {
    synchronized (drive) {
      checkOpen();
      byte[] content = new byte[bytes.remaining()];
      bytes.duplicate().get(content);
      long end = position + content.length;
      if (end > Integer.MAX_VALUE - 8) {
        throw new IllegalArgumentException("too large for a simulated file: " + end + " bytes");
      }
      drive.reserve(Math.max(0, end - inode.size()), location);
      // What an earlier write left dirty may have gone to the platter before this one.
      inode.writeBackSome(drive.random);
      drive.call(
          Call.WRITE,
          location,
          () -> inode.write((int) position, content, content.length),
          () -> inode.write((int) position, content, drive.random.nextInt(content.length + 1)));
      bytes.position(bytes.limit());
    }
  }

  @Override
  public void sync() {
    synchronized (drive) {
      checkOpen();
      drive.call(Call.SYNC, location, inode::sync, this::failSync);
    }
  }

  /** Some pages may have reached the platter; the others never will, and nobody will hear of it. */
  private void failSync() {
    inode.writeBackSome(drive.random);
    inode.forgetDirty();
  }

  @Override
  public void read(long position, ByteBuffer target) {
    synchronized (drive) {
      checkOpen();
      if (position + target.remaining() > inode.size()) {
        EOFException end = new EOFException("it ends at byte " + inode.size());
        throw new UncheckedIOException("cannot read " + location + ": " + end.getMessage(), end);
      }
      target.put(inode.seen(), (int) position, target.remaining());
    }
  }

  @Override
  public ByteBuffer map() {
    synchronized (drive) {
      checkOpen();
      return ByteBuffer.wrap(inode.seen()).asReadOnlyBuffer();
    }
  }

  @Override
  public void close() {
    closed = true;
  }

  private void checkOpen() {
    drive.checkPower(generation);
    if (closed) {
      IOException cause = new IOException("the file was closed");
      throw new UncheckedIOException("cannot use " + location + ": " + cause.getMessage(), cause);
    }
  }
}
