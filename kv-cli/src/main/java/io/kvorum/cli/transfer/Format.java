package io.kvorum.cli.transfer;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;

/**
 * The file formats. What is exported in a format and imported again is the same, byte by byte,
 * whatever the bytes are.
 */
public enum Format {
  /**
   * One JSON object a line: {@code key} and {@code value}, or {@code keyBase64} and {@code
   * valueBase64} where the bytes are not UTF-8. Other fields are not looked at.
   */
  JSONL,
  /**
   * RFC 4180, UTF-8; the first line names the columns: {@code key}, {@code value}, and optionally
   * {@code encoding}, which is empty, or {@code base64} for a row whose key and value are.
   */
  CSV,
  /**
   * As {@link java.util.Properties} reads it; a byte that is no UTF-8 stands as the lone surrogate
   * {@code \}{@code udc80} to {@code \}{@code udcff} (PEP 383).
   */
  PROPERTIES;

  /** By the file's ending: jsonl, ndjson, csv, properties. */
  public static Optional<Format> ofFileName(String name) {
    String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return switch (ending) {
      case "jsonl", "ndjson" -> Optional.of(JSONL);
      case "csv" -> Optional.of(CSV);
      case "properties" -> Optional.of(PROPERTIES);
      default -> Optional.empty();
    };
  }

  /** Reads the source, which it buffers; a byte order mark at the start is skipped. */
  public RecordReader reader(InputStream source) throws IOException {
    BufferedInputStream in = new BufferedInputStream(source, 1 << 16);
    skipByteOrderMark(in);
    return switch (this) {
      case JSONL -> new JsonLinesReader(in);
      case CSV -> new CsvReader(in);
      case PROPERTIES -> new PropertiesReader(in);
    };
  }

  /** Writes to the sink, which should be buffered. */
  RecordWriter writer(OutputStream sink) throws IOException {
    return switch (this) {
      case JSONL -> new JsonLinesWriter(sink);
      case CSV -> new CsvWriter(sink);
      case PROPERTIES -> new PropertiesWriter(sink);
    };
  }

  private static void skipByteOrderMark(BufferedInputStream in) throws IOException {
    in.mark(3);
    byte[] start = in.readNBytes(3);
    boolean mark =
        start.length == 3
            && start[0] == (byte) 0xef
            && start[1] == (byte) 0xbb
            && start[2] == (byte) 0xbf;
    if (!mark) {
      in.reset();
    }
  }
}
