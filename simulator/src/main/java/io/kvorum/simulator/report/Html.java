package io.kvorum.simulator.report;

import java.util.Locale;

/** Text as part of a page. */
final class Html {
  private Html() {}

  /** For text and for attributes in either kind of quotes; what no page can hold is written out. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      if ("<>&\"'".indexOf(point) >= 0) {
        escaped.append("&#").append(point).append(';');
      } else if (point == '\n' || isPrintable(point)) {
        escaped.appendCodePoint(point);
      } else {
        escaped.append(String.format(Locale.ROOT, "\\x%02x", point));
      }
    }
    return escaped.toString();
  }

  private static boolean isPrintable(int point) {
    boolean isHalf = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    return !isHalf && !Character.isISOControl(point);
  }

  /** No longer than so many characters, and escaped. */
  static String cut(String text, int lengthMax) {
    int[] points = text.codePoints().toArray();
    return points.length <= lengthMax
        ? escape(text)
        : escape(new String(points, 0, lengthMax - 1)) + "…";
  }
}
