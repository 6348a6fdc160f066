package io.kvorum.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.function.Function;

/**
 * Turns values of an application into bytes and back. Thread-safe; so must be what it is made of.
 *
 * @param <T> what the application has
 */
public interface Codec<T> {
  /** Reads what was written; may throw whatever its library throws. */
  @FunctionalInterface
  interface Reader<F, T> {
    /** What was written so; never null. */
    T read(F written) throws Exception;
  }

  /** The bytes that stand for the value. */
  Bytes encode(T value);

  /**
   * The value that the bytes stand for.
   *
   * @throws IllegalArgumentException if they stand for none; its cause says why, its message tells
   *     nothing of the bytes
   */
  T decode(Bytes bytes);

  /** Bytes as they are. */
  static Codec<Bytes> bytes() {
    return new FunctionCodec<>(value -> value, bytes -> bytes);
  }

  /** Text in UTF-8; bytes that are none are refused, not replaced. */
  static Codec<String> utf8() {
    return new FunctionCodec<>(Bytes::utf8, Codec::strictUtf8);
  }

  /** Numbers in 8 bytes, big-endian, two's complement: what {@link Op#add} counts in. */
  static Codec<Long> int64() {
    return new FunctionCodec<>(
        value -> Bytes.wrapUnsafe(ByteBuffer.allocate(Long.BYTES).putLong(value).array()),
        Codec::int64);
  }

  /**
   * A format of bytes, such as protobuf's: {@code Codec.of(Person::toByteArray,
   * Person::parseFrom)}.
   *
   * @param writer makes an array that nobody changes afterwards
   */
  static <T> Codec<T> of(Function<T, byte[]> writer, Reader<byte[], T> reader) {
    return new FunctionCodec<>(
        value -> Bytes.wrapUnsafe(writer.apply(value)), bytes -> reader.read(bytes.toByteArray()));
  }

  /**
   * A format of text, in UTF-8, such as JSON of whatever library the application has: {@code
   * Codec.text(json::write, text -> json.read(text, Person.class))}.
   */
  static <T> Codec<T> text(Function<T, String> writer, Reader<String, T> reader) {
    return new FunctionCodec<>(
        value -> Bytes.utf8(writer.apply(value)), bytes -> reader.read(strictUtf8(bytes)));
  }

  private static String strictUtf8(Bytes bytes) throws CharacterCodingException {
    return UTF_8.newDecoder().decode(bytes.asByteBuffer()).toString();
  }

  private static long int64(Bytes bytes) {
    if (bytes.size() != Long.BYTES) {
      throw new IllegalArgumentException(
          "a number has " + Long.BYTES + " bytes, not " + bytes.size());
    }
    return bytes.asByteBuffer().getLong();
  }
}
