package io.kvorum.cli;

import io.kvorum.server.store.Space;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a number of bytes is written in arguments: digits, and K, M, G or T for powers of 1024. */
final class ByteCount {
  private static final Pattern FORM = Pattern.compile("([0-9]+)([KMGT]?)");
  private static final String UNITS = "KMGT";

  private ByteCount() {}

  /**
   * A quota; 0: none.
   *
   * @throws CommandFailure if it is none
   */
  static long quota(String text) {
    if (text.equals("none")) {
      return 0;
    }
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw CommandFailure.usage(
          "a quota is a number of bytes, with K, M, G or T behind it if you like, or none; not "
              + text);
    }
    long unit = form.group(2).isEmpty() ? 1 : 1L << (10 * (UNITS.indexOf(form.group(2)) + 1));
    long bytes = bytes(form.group(1), unit);
    if (bytes < 1 || bytes > Space.QUOTA_BYTES_MAX) {
      throw CommandFailure.usage(
          "a quota is 1 to " + Space.QUOTA_BYTES_MAX + " bytes, or none; not " + text);
    }
    return bytes;
  }

  /** Too many for any quota if they do not fit. */
  private static long bytes(String digits, long unit) {
    try {
      return Math.multiplyExact(Long.parseLong(digits), unit);
    } catch (ArithmeticException | NumberFormatException tooLarge) {
      return Long.MAX_VALUE;
    }
  }
}
