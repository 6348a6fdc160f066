package io.kvorum.testkit;

import java.util.Locale;

/** Bytes as text that a reviewer can read and a diff can show. */
public final class Hex {
  private static final int BYTES_PER_LINE = 16;

  private Hex() {}

  /**
   * Sixteen bytes a line: the offset in hexadecimal, the bytes, and the printable ones again as
   * ASCII. Each line ends with a line feed; no bytes give no line.
   */
  public static String dump(byte[] bytes) {
    StringBuilder dump = new StringBuilder();
    for (int start = 0; start < bytes.length; start += BYTES_PER_LINE) {
      int end = Math.min(start + BYTES_PER_LINE, bytes.length);
      StringBuilder digits = new StringBuilder();
      StringBuilder letters = new StringBuilder();
      for (int i = start; i < end; i++) {
        digits.append(String.format(Locale.ROOT, " %02x", bytes[i]));
        letters.append(bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char) bytes[i] : '.');
      }
      dump.append(String.format(Locale.ROOT, "%08x %-48s  |%s|%n", start, digits, letters));
    }
    return dump.toString().replace(System.lineSeparator(), "\n");
  }
}
