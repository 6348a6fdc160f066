package io.kvorum.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * A real file, written through its channel.
 *
 * <p>Interrupting a thread that is inside a call closes the channel (as {@link FileChannel} has
 * it), and with it ends whoever writes this file. Readers on other threads therefore use {@link
 * #map}.
 */
final class ChannelFile implements DiskFile {
  private final Path path;
  private final FileChannel channel;

  ChannelFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  @Override
  public String location() {
    return path.toString();
  }

  @Override
  public long size() {
    try {
      return channel.size();
    } catch (IOException e) {
      throw IoFailure.of("ask the size of " + path, e);
    }
  }

  @Override
  public void write(long position, ByteBuffer bytes) {
    long at = position;
    try {
      while (bytes.hasRemaining()) {
        // A write may be short, for instance when the disk fills up on the way: the rest then
        // fails.
        at += channel.write(bytes, at);
      }
    } catch (IOException e) {
      throw IoFailure.of("write " + bytes.remaining() + " bytes at " + at + " of " + path, e);
    }
  }

  @Override
  public void sync() {
    try {
      channel.force(false);
    } catch (IOException e) {
      throw IoFailure.of("sync " + path, e);
    }
  }

  @Override
  public void read(long position, ByteBuffer target) {
    try {
      long at = position;
      while (target.hasRemaining()) {
        int count = channel.read(target, at);
        if (count < 0) {
          throw new EOFException("it ends at byte " + at);
        }
        at += count;
      }
    } catch (IOException e) {
      throw IoFailure.of("read " + path, e);
    }
  }

  @Override
  public ByteBuffer map() {
    return map(MapMode.READ_ONLY);
  }

  ByteBuffer map(MapMode mode) {
    try {
      return channel.map(mode, 0, channel.size());
    } catch (IOException e) {
      throw IoFailure.of("map " + path, e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw IoFailure.of("close " + path, e);
    }
  }
}
