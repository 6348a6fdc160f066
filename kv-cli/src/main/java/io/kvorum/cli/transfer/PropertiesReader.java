package io.kvorum.cli.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link Format#PROPERTIES}.
 *
 * <p>{@link Properties} itself forgets the order, the doubles and the line numbers. So we find the
 * logical lines here, and let it read each of them by itself.
 */
final class PropertiesReader implements RecordReader {
  private final LineInput lines;

  PropertiesReader(BufferedInputStream in) {
    this.lines = new LineInput(in);
  }

  @Override
  public @Nullable KeyValuePair next() throws IOException {
    for (String line = natural(); line != null; line = natural()) {
      String start = line.stripLeading();
      if (start.isEmpty() || start.startsWith("#") || start.startsWith("!")) {
        continue;
      }
      long first = lines.line();
      StringBuilder logical = new StringBuilder(line);
      while (endsInOddBackslashes(logical)) {
        String more = natural();
        if (more == null) {
          break;
        }
        logical.append('\n').append(more);
      }
      return pair(first, logical.toString());
    }
    return null;
  }

  private @Nullable String natural() throws IOException {
    byte[] line = lines.next();
    if (line == null) {
      return null;
    }
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException notUtf8) {
      throw new MalformedRecordException(lines.line(), "not UTF-8");
    }
  }

  private static KeyValuePair pair(long line, String logical) throws IOException {
    Properties one = new Properties();
    try {
      one.load(new StringReader(logical));
    } catch (IllegalArgumentException badEscape) {
      throw new MalformedRecordException(line, String.valueOf(badEscape.getMessage()));
    }
    if (one.size() != 1) {
      throw new MalformedRecordException(line, "not one key and its value");
    }
    Map.Entry<Object, Object> entry = one.entrySet().iterator().next();
    try {
      return new KeyValuePair(
          Text.surrogateUnescaped((String) entry.getKey()),
          Text.surrogateUnescaped((String) entry.getValue()));
    } catch (CharacterCodingException halfPair) {
      throw new MalformedRecordException(line, "half a surrogate pair is no text");
    }
  }

  private static boolean endsInOddBackslashes(CharSequence line) {
    int backslashes = 0;
    while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }
}
