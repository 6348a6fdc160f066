package io.kvorum.cli.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import io.kvorum.api.Bytes;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@link Format#CSV}. */
final class CsvReader implements RecordReader {
  private static final CsvFactory CSV =
      CsvFactory.builder().enable(CsvParser.Feature.SKIP_EMPTY_LINES).build();

  private static final Set<String> COLUMNS = Set.of("key", "value", "encoding");

  private final CsvParser parser;
  private @Nullable List<String> header;
  private long line;

  CsvReader(BufferedInputStream in) throws IOException {
    this.parser = CSV.createParser(new InputStreamReader(in, UTF_8.newDecoder()));
  }

  @Override
  public @Nullable KeyValuePair next() throws IOException {
    try {
      if (header == null) {
        header = header();
      }
      List<String> row = row();
      return row == null ? null : pair(header, row);
    } catch (JsonProcessingException malformed) {
      throw new MalformedRecordException(line + 1, malformed.getOriginalMessage());
    } catch (CharacterCodingException notUtf8) {
      throw new MalformedRecordException(line + 1, "or one soon after it: not UTF-8");
    }
  }

  private List<String> header() throws IOException {
    List<String> names = row();
    if (names == null) {
      return List.of();
    }
    boolean known = COLUMNS.containsAll(names) && new HashSet<>(names).size() == names.size();
    if (!known || !names.contains("key") || !names.contains("value")) {
      throw new MalformedRecordException(
          line, "the first line names the columns: key,value and, if need be, encoding");
    }
    return names;
  }

  private @Nullable List<String> row() throws IOException {
    if (parser.nextToken() != JsonToken.START_ARRAY) {
      return null;
    }
    List<String> cells = new ArrayList<>();
    line = parser.currentLocation().getLineNr();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      cells.add(parser.getText());
    }
    return cells;
  }

  private KeyValuePair pair(List<String> names, List<String> row) throws IOException {
    if (row.size() != names.size()) {
      throw new MalformedRecordException(
          line, row.size() + " columns where the first line names " + names.size());
    }
    int encodingAt = names.indexOf("encoding");
    String encoding = encodingAt < 0 ? "" : row.get(encodingAt);
    String key = row.get(names.indexOf("key"));
    String value = row.get(names.indexOf("value"));
    return switch (encoding) {
      case "" -> new KeyValuePair(Bytes.utf8(key), Bytes.utf8(value));
      case "base64" -> new KeyValuePair(base64(key), base64(value));
      default -> throw new MalformedRecordException(line, "encoding is neither empty nor base64");
    };
  }

  private Bytes base64(String text) throws MalformedRecordException {
    try {
      return Bytes.wrapUnsafe(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException notBase64) {
      throw new MalformedRecordException(line, "not base64");
    }
  }
}
