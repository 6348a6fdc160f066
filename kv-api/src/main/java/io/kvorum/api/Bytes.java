package io.kvorum.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * An immutable sequence of bytes: a key or a value. Ordered as the store orders keys, byte by byte,
 * unsigned.
 */
public final class Bytes implements Comparable<Bytes> {
  /** No bytes. Allowed as a value, never as a key. */
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] array;

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** A copy of the given bytes. */
  public static Bytes copyOf(byte[] bytes) {
    return bytes.length == 0 ? EMPTY : new Bytes(bytes.clone());
  }

  /** A copy of what the buffer holds between position and limit; its position stays. */
  public static Bytes copyOf(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return new Bytes(copy);
  }

  /** The UTF-8 encoding of the text. */
  public static Bytes utf8(String text) {
    return new Bytes(text.getBytes(UTF_8));
  }

  /** Takes the array as it is: for those who made it and will never change it. */
  public static Bytes wrapUnsafe(byte[] bytes) {
    return new Bytes(bytes);
  }

  public int size() {
    return array.length;
  }

  public boolean isEmpty() {
    return array.length == 0;
  }

  /** The byte at {@code position}, from 0. */
  public byte at(int position) {
    return array[position];
  }

  /** A copy. */
  public byte[] toByteArray() {
    return array.clone();
  }

  /** The array itself: for those who only read it. */
  public byte[] arrayUnsafe() {
    return array;
  }

  /** A read-only view, big-endian, position 0. */
  public ByteBuffer asByteBuffer() {
    return ByteBuffer.wrap(array).asReadOnlyBuffer();
  }

  /** The bytes read as UTF-8; malformed parts become the replacement character. */
  public String toUtf8() {
    return new String(array, UTF_8);
  }

  public boolean startsWith(Bytes prefix) {
    return array.length >= prefix.array.length
        && Arrays.equals(array, 0, prefix.array.length, prefix.array, 0, prefix.array.length);
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(array, other.array);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes that && Arrays.equals(array, that.array);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(array);
  }

  /** The text, when the bytes are UTF-8 without control characters; else {@code 0x} and hex. */
  @Override
  public String toString() {
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(array)).toString();
      if (text.chars().noneMatch(Character::isISOControl)) {
        return text;
      }
    } catch (CharacterCodingException notText) {
      return hex();
    }
    return hex();
  }

  private String hex() {
    return "0x" + HexFormat.of().formatHex(array);
  }
}
