package io.kvorum.cli.transfer;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Splits a stream into lines of bytes, counted from 1. A line ends in LF, CR LF, or the end. */
public final class LineInput {
  /** A value of the largest size, each byte of it escaped, and room for the key. */
  private static final int LINE_BYTES_MAX = 64 << 20;

  private final BufferedInputStream in;
  private long line;

  /** Of a stream that is at the start of a line. */
  public LineInput(BufferedInputStream in) {
    this.in = in;
  }

  /** The number of the line that {@link #next} returned last. */
  public long line() {
    return line;
  }

  /**
   * The next line without its end, or null when there is none.
   *
   * @throws MalformedRecordException if it is too long
   */
  public byte @Nullable [] next() throws IOException {
    int first = in.read();
    if (first < 0) {
      return null;
    }
    line++;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    for (int b = first; b >= 0 && b != '\n'; b = in.read()) {
      if (bytes.size() == LINE_BYTES_MAX) {
        throw new MalformedRecordException(line, "longer than " + LINE_BYTES_MAX + " bytes");
      }
      bytes.write(b);
    }
    byte[] array = bytes.toByteArray();
    boolean carriageReturn = array.length > 0 && array[array.length - 1] == '\r';
    return carriageReturn ? Arrays.copyOf(array, array.length - 1) : array;
  }
}
