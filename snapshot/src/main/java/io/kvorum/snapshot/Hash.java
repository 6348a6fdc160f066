package io.kvorum.snapshot;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** The SHA-256 of some bytes. */
public final class Hash {
  /** How long it is. */
  public static final int BYTES = 32;

  private static final int READ_BYTES = 256 << 10;

  private final byte[] bytes;

  private Hash(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A hash that was computed before: {@value #BYTES} bytes. */
  public static Hash of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(bytes.length + " bytes are no SHA-256");
    }
    return new Hash(bytes.clone());
  }

  /** The hash of these bytes. */
  public static Hash ofContent(byte[] content) {
    return new Hash(sha256().digest(content));
  }

  /** The hash of all that the file holds, read now. */
  static Hash ofContent(DiskFile file) {
    MessageDigest digest = sha256();
    long size = file.size();
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(READ_BYTES, size));
    for (long at = 0; at < size; at += buffer.limit()) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), size - at));
      file.read(at, buffer);
      digest.update(buffer.flip());
    }
    return new Hash(digest.digest());
  }

  /** The hash of all that the file of that name holds, read now. */
  static Hash ofContent(Disk directory, String name) {
    try (DiskFile file = directory.open(name)) {
      return ofContent(file);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** A copy. */
  public byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Hash hash && Arrays.equals(bytes, hash.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
