package io.kvorum.protocol;

import com.google.protobuf.ByteOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Takes a ByteString's own array when it is exactly the content, and copies otherwise. */
final class WholeArray extends ByteOutput {
  private final int size;
  private byte @Nullable [] array;
  private int written;

  WholeArray(int size) {
    this.size = size;
  }

  byte[] array() {
    if (array == null || written != size) {
      throw new IllegalStateException("got " + written + " of " + size + " bytes");
    }
    return array;
  }

  @Override
  public void writeLazy(byte[] source, int offset, int length) {
    if (array == null && offset == 0 && length == source.length && length == size) {
      array = source;
      written = length;
    } else {
      write(source, offset, length);
    }
  }

  @Override
  public void writeLazy(ByteBuffer source) {
    write(source);
  }

  @Override
  public void write(byte value) {
    target()[written++] = value;
  }

  @Override
  public void write(byte[] source, int offset, int length) {
    System.arraycopy(source, offset, target(), written, length);
    written += length;
  }

  @Override
  public void write(ByteBuffer source) {
    int length = source.remaining();
    source.get(target(), written, length);
    written += length;
  }

  private byte[] target() {
    byte[] existing = array;
    if (existing == null) {
      existing = new byte[size];
      array = existing;
    }
    return existing;
  }
}
