package io.kvorum.cli.transfer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.kvorum.api.Bytes;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Reads {@link Format#JSONL}. */
final class JsonLinesReader implements RecordReader {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final LineInput lines;

  JsonLinesReader(BufferedInputStream in) {
    this.lines = new LineInput(in);
  }

  @Override
  public @Nullable KeyValuePair next() throws IOException {
    for (byte[] line = lines.next(); line != null; line = lines.next()) {
      if (!isBlank(line)) {
        return pair(line);
      }
    }
    return null;
  }

  private KeyValuePair pair(byte[] line) throws IOException {
    Bytes key = null;
    Bytes value = null;
    try (JsonParser parser = JSON.createParser(line)) {
      expect(parser.nextToken() == JsonToken.START_OBJECT, "not a JSON object");
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken token = parser.nextToken();
        switch (field) {
          case "key", "keyBase64" -> {
            expect(key == null, "both key and keyBase64");
            key = bytes(parser, token, field);
          }
          case "value", "valueBase64" -> {
            expect(value == null, "both value and valueBase64");
            value = bytes(parser, token, field);
          }
          default -> parser.skipChildren();
        }
      }
      expect(parser.nextToken() == null, "more than one JSON object");
    } catch (JsonProcessingException malformed) {
      throw new MalformedRecordException(lines.line(), malformed.getOriginalMessage());
    } catch (CharacterCodingException halfPair) {
      throw new MalformedRecordException(lines.line(), "half a surrogate pair is no text");
    }
    if (key == null || value == null) {
      throw new MalformedRecordException(lines.line(), "needs a key and a value");
    }
    return new KeyValuePair(key, value);
  }

  private Bytes bytes(JsonParser parser, @Nullable JsonToken token, String field)
      throws IOException {
    expect(token == JsonToken.VALUE_STRING, field + " is not a string");
    String text = parser.getText();
    if (!field.endsWith("Base64")) {
      return Text.strictUtf8(text);
    }
    try {
      return Bytes.wrapUnsafe(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException notBase64) {
      throw new MalformedRecordException(lines.line(), field + " is not base64");
    }
  }

  private void expect(boolean holds, String problem) throws MalformedRecordException {
    if (!holds) {
      throw new MalformedRecordException(lines.line(), problem);
    }
  }

  private static boolean isBlank(byte[] line) {
    for (byte b : line) {
      if (b != ' ' && b != '\t') {
        return false;
      }
    }
    return true;
  }
}
