package io.kvorum.disk;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import org.jspecify.annotations.Nullable;

/**
 * A real file, written by stores into a map of it. Only for files whose blocks exist: a store into
 * a hole of a full disk would be lost and reported late, or not at all, on JDK 17 (FAULTS F041).
 */
final class MappedFile implements DiskFile {
  private final ChannelFile file;
  private @Nullable MappedByteBuffer map;

  /** The bytes stored since the last sync, as a range; empty when from is not below to. */
  private int dirtyFrom = Integer.MAX_VALUE;

  private int dirtyTo;
  private boolean channelDirty;

  MappedFile(ChannelFile file) {
    this.file = file;
    if (file.size() > 0) {
      map = writable(file);
    }
  }

  private static MappedByteBuffer writable(ChannelFile file) {
    return (MappedByteBuffer) file.map(MapMode.READ_WRITE);
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
    MappedByteBuffer target = map;
    int count = bytes.remaining();
    if (target == null || position + count > target.capacity()) {
      // Longer than the map: blocks must come into being, which only a channel does with an error.
      file.write(position, bytes);
      channelDirty = true;
      return;
    }
    try {
      target.put((int) position, bytes, bytes.position(), count);
      settle();
      bytes.position(bytes.limit());
    } catch (InternalError e) {
      throw IoFailure.ofMapping("write " + location(), e);
    }
    dirtyFrom = Math.min(dirtyFrom, (int) position);
    dirtyTo = Math.max(dirtyTo, (int) position + count);
  }

  /**
   * JDK 17 reports a faulted store only when the thread next comes back from native code, which may
   * be anywhere. A cheap system call brings the report to where it can be caught.
   */
  private void settle() {
    long size = file.size();
    if (size < 0) {
      throw new AssertionError("a file of " + size + " bytes");
    }
  }

  @Override
  public void sync() {
    MappedByteBuffer target = map;
    try {
      if (target != null && dirtyFrom < dirtyTo) {
        target.force(dirtyFrom, dirtyTo - dirtyFrom);
      }
    } catch (InternalError e) {
      throw IoFailure.ofMapping("sync " + location(), e);
    }
    if (channelDirty || dirtyFrom >= dirtyTo) {
      // Also when nothing was stored here: on opening, a dead process may have left dirty pages.
      file.sync();
    }
    channelDirty = false;
    dirtyFrom = Integer.MAX_VALUE;
    dirtyTo = 0;
  }

  @Override
  public void read(long position, ByteBuffer target) {
    file.read(position, target);
  }

  @Override
  public ByteBuffer map() {
    return file.map();
  }

  @Override
  public void close() {
    map = null; // Not unmapped here: see DiskFile.map.
    file.close();
  }
}
