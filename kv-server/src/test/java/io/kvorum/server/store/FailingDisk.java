package io.kvorum.server.store;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.DiskLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;

/** A directory of which the n-th call fails, and all after it. Its files count as well. */
public final class FailingDisk implements Disk {
  private final Disk disk;
  private int left;

  public FailingDisk(Disk disk, int failingCall) {
    this.disk = disk;
    this.left = failingCall;
  }

  /** Whether the failing call has come. */
  public boolean failed() {
    return left <= 0;
  }

  private <T> T call(Supplier<T> call) {
    left--;
    if (left <= 0) {
      throw new UncheckedIOException(new IOException("planted"));
    }
    return call.get();
  }

  private void run(Runnable call) {
    call(
        () -> {
          call.run();
          return 0;
        });
  }

  @Override
  public String location() {
    return disk.location();
  }

  @Override
  public List<String> list() {
    return call(disk::list);
  }

  @Override
  public boolean exists(String name) {
    return call(() -> disk.exists(name));
  }

  @Override
  public DiskFile create(String name, long bytes) {
    return call(() -> new File(disk.create(name, bytes)));
  }

  @Override
  public DiskFile open(String name) {
    return call(() -> new File(disk.open(name)));
  }

  @Override
  public void rename(String from, String to) {
    run(() -> disk.rename(from, to));
  }

  @Override
  public void delete(String name) {
    run(() -> disk.delete(name));
  }

  @Override
  public void syncDirectory() {
    run(disk::syncDirectory);
  }

  @Override
  public Disk directory(String name) {
    return call(() -> disk.directory(name));
  }

  @Override
  public List<String> directories() {
    return call(disk::directories);
  }

  @Override
  public void renameDirectory(String from, String to) {
    run(() -> disk.renameDirectory(from, to));
  }

  @Override
  public void deleteDirectory(String name) {
    run(() -> disk.deleteDirectory(name));
  }

  @Override
  public void link(String name, Disk target) {
    run(() -> disk.link(name, target));
  }

  @Override
  public long usableBytes() {
    return disk.usableBytes();
  }

  @Override
  public DiskLock lock(String name) {
    return call(() -> disk.lock(name));
  }

  private final class File implements DiskFile {
    private final DiskFile file;

    File(DiskFile file) {
      this.file = file;
    }

    @Override
    public String location() {
      return file.location();
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void write(long position, ByteBuffer bytes) {
      run(() -> file.write(position, bytes));
    }

    @Override
    public void sync() {
      run(file::sync);
    }

    @Override
    public void read(long position, ByteBuffer target) {
      run(() -> file.read(position, target));
    }

    @Override
    public ByteBuffer map() {
      return call(file::map);
    }

    @Override
    public void close() {
      file.close();
    }
  }
}
