package io.kvorum.cli.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.api.Bytes;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Bytes as text and back, without losing any. */
public final class Text {
  private static final HexFormat HEX = HexFormat.of();

  /** PEP 383: the byte 0x80 + n, where it is no UTF-8, stands as the lone surrogate 0xDC80 + n. */
  private static final int SURROGATE_BASE = 0xDC00;

  private Text() {}

  /** The text, or null when the bytes are not UTF-8. */
  public static @Nullable String utf8OrNull(Bytes bytes) {
    try {
      return UTF_8.newDecoder().decode(bytes.asByteBuffer()).toString();
    } catch (CharacterCodingException notText) {
      return null;
    }
  }

  /**
   * The UTF-8 encoding.
   *
   * @throws CharacterCodingException for half a surrogate pair, which the JDK's own shortcut would
   *     silently turn into a question mark
   */
  public static Bytes strictUtf8(String text) throws CharacterCodingException {
    return Bytes.copyOf(UTF_8.newEncoder().encode(CharBuffer.wrap(text)));
  }

  /** As UTF-8, where each byte that is none becomes a lone surrogate (PEP 383). */
  static String surrogateEscaped(Bytes bytes) {
    String plain = utf8OrNull(bytes);
    if (plain != null) {
      return plain;
    }
    StringBuilder text = new StringBuilder(bytes.size());
    ByteBuffer rest = bytes.asByteBuffer();
    CharBuffer chars = CharBuffer.allocate(bytes.size());
    while (rest.hasRemaining()) {
      var result = UTF_8.newDecoder().decode(rest, chars, true);
      text.append(chars.flip());
      chars.clear();
      if (result.isError()) {
        for (int i = 0; i < result.length(); i++) {
          text.append((char) (SURROGATE_BASE + (rest.get() & 0xff)));
        }
      }
    }
    return text.toString();
  }

  /**
   * The inverse of {@link #surrogateEscaped}.
   *
   * @throws CharacterCodingException for any other half of a surrogate pair
   */
  static Bytes surrogateUnescaped(String text) throws CharacterCodingException {
    if (text.chars().noneMatch(c -> Character.isSurrogate((char) c))) {
      return Bytes.utf8(text);
    }
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * 3);
    int from = 0;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      boolean low = at > 0 && Character.isSurrogatePair(text.charAt(at - 1), c);
      if (c >= SURROGATE_BASE + 0x80 && c <= SURROGATE_BASE + 0xff && !low) {
        bytes.put(UTF_8.newEncoder().encode(CharBuffer.wrap(text, from, at)));
        bytes.put((byte) (c - SURROGATE_BASE));
        from = at + 1;
      }
    }
    bytes.put(UTF_8.newEncoder().encode(CharBuffer.wrap(text, from, text.length())));
    return Bytes.copyOf(bytes.flip());
  }

  /**
   * One line for a person: backslash, tab, line ends and other control characters escaped as in C
   * ({@code \\ \t \n \r \x1b}), and so is each byte that is no UTF-8.
   */
  public static String escaped(Bytes bytes) {
    String text = surrogateEscaped(bytes);
    if (text.chars().noneMatch(c -> c == '\\' || Character.isISOControl(c) || isEscapedByte(c))) {
      return text;
    }
    StringBuilder line = new StringBuilder(text.length() + 16);
    text.codePoints().forEach(c -> appendEscaped(line, c));
    return line.toString();
  }

  private static void appendEscaped(StringBuilder line, int codePoint) {
    switch (codePoint) {
      case '\\' -> line.append("\\\\");
      case '\t' -> line.append("\\t");
      case '\n' -> line.append("\\n");
      case '\r' -> line.append("\\r");
      default -> {
        if (isEscapedByte(codePoint)) {
          appendHex(line, (byte) (codePoint - SURROGATE_BASE));
        } else if (Character.isISOControl(codePoint)) {
          // U+0080 to U+009F are two bytes in UTF-8, and stay two.
          for (byte b : Character.toString(codePoint).getBytes(UTF_8)) {
            appendHex(line, b);
          }
        } else {
          line.appendCodePoint(codePoint);
        }
      }
    }
  }

  private static void appendHex(StringBuilder line, byte value) {
    line.append("\\x").append(HEX.toHexDigits(value));
  }

  private static boolean isEscapedByte(int c) {
    return c >= SURROGATE_BASE + 0x80 && c <= SURROGATE_BASE + 0xff;
  }
}
