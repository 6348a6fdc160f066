package io.kvorum.api;

import java.util.function.Function;

/** A codec of two functions. */
record FunctionCodec<T>(Function<T, Bytes> writer, Codec.Reader<Bytes, T> reader)
    implements Codec<T> {
  @Override
  public Bytes encode(T value) {
    return writer.apply(value);
  }

  @Override
  public T decode(Bytes bytes) {
    try {
      return reader.read(bytes);
    } catch (Exception malformed) {
      // Whatever the library throws says the same: these bytes are no such value.
      throw new IllegalArgumentException(
          bytes.size() + " bytes cannot be decoded: " + malformed.getClass().getSimpleName(),
          malformed);
    }
  }
}
