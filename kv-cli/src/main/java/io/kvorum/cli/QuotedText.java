package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.api.Bytes;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Words and quotes as etcdctl reads them: "with \n and \x00", 'as it is', or bare. */
final class QuotedText {
  /**
   * The regular expression of a word in double quotes. Its quantifier is possessive: a greedy one
   * would keep a frame of the stack for each character, to come back to.
   */
  static final String DOUBLE_QUOTED = "\"(?:[^\"\\\\]|\\\\.)*+\"";

  private static final Pattern WORD = Pattern.compile(DOUBLE_QUOTED + "|'[^']*+'|[^'\"\\s]\\S*+");

  private QuotedText() {}

  /**
   * The words of a line, without their quotes.
   *
   * @throws IllegalArgumentException if a quote is not closed
   */
  static List<Bytes> words(String line) {
    List<Bytes> words = new ArrayList<>();
    Matcher word = WORD.matcher(line);
    int end = 0;
    while (word.find()) {
      checkBlank(line.substring(end, word.start()));
      words.add(bytes(word.group()));
      end = word.end();
    }
    checkBlank(line.substring(end));
    return words;
  }

  private static void checkBlank(String between) {
    if (!between.isBlank()) {
      throw new IllegalArgumentException("a quote is not closed: " + between.strip());
    }
  }

  /** What a word stands for. */
  static Bytes bytes(String word) {
    if (word.length() >= 2 && word.startsWith("'") && word.endsWith("'")) {
      return Bytes.utf8(word.substring(1, word.length() - 1));
    }
    return word.startsWith("\"") ? unescaped(word) : Bytes.utf8(word);
  }

  private static Bytes unescaped(String quoted) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int at = 1;
    while (at < quoted.length() - 1) {
      int c = quoted.codePointAt(at);
      at += Character.charCount(c);
      if (c == '\\') {
        at = escape(quoted, at, out);
      } else {
        out.writeBytes(Character.toString(c).getBytes(UTF_8));
      }
    }
    return Bytes.wrapUnsafe(out.toByteArray());
  }

  /** Writes what stands behind a backslash; returns where it ends. */
  private static int escape(String quoted, int at, ByteArrayOutputStream out) {
    char kind = quoted.charAt(at);
    switch (kind) {
      case 'x' -> {
        int end = at + 3;
        String digits = quoted.substring(at + 1, Math.min(end, quoted.length() - 1));
        if (digits.length() != 2 || !digits.chars().allMatch(HexFormat::isHexDigit)) {
          throw new IllegalArgumentException(
              "\\x takes two hexadecimal digits, as in \\x0a, not \"" + digits + "\"");
        }
        out.write(HexFormat.fromHexDigits(digits));
        return end;
      }
      case 'n' -> out.write('\n');
      case 't' -> out.write('\t');
      case 'r' -> out.write('\r');
      case '\\', '"' -> out.write(kind);
      default -> throw new IllegalArgumentException("no escape: \\" + kind + " in " + quoted);
    }
    return at + 1;
  }
}
