package io.kvorum.cli.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Writes {@link Format#CSV}, every cell quoted. */
final class CsvWriter implements RecordWriter {
  private final OutputStream sink;
  private final CsvGenerator csv;

  CsvWriter(OutputStream sink) throws IOException {
    this.sink = sink;
    this.csv = new CsvFactory().createGenerator(new OutputStreamWriter(sink, UTF_8));
    csv.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    csv.enable(CsvGenerator.Feature.ALWAYS_QUOTE_STRINGS);
    row("key", "value", "encoding");
  }

  @Override
  public void write(KeyValuePair pair) throws IOException {
    @Nullable String key = Text.utf8OrNull(pair.key());
    @Nullable String value = Text.utf8OrNull(pair.value());
    if (key != null && value != null) {
      row(key, value, "");
    } else {
      Base64.Encoder base64 = Base64.getEncoder();
      row(
          base64.encodeToString(pair.key().arrayUnsafe()),
          base64.encodeToString(pair.value().arrayUnsafe()),
          "base64");
    }
  }

  private void row(String key, String value, String encoding) throws IOException {
    csv.writeStartArray();
    csv.writeString(key);
    csv.writeString(value);
    csv.writeString(encoding);
    csv.writeEndArray();
  }

  @Override
  public void finish() throws IOException {
    csv.close();
    sink.flush();
  }
}
