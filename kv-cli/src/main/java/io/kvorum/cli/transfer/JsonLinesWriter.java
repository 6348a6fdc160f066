package io.kvorum.cli.transfer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.IOException;
import java.io.OutputStream;

/** Writes {@link Format#JSONL}. */
final class JsonLinesWriter implements RecordWriter {
  private final OutputStream sink;
  private final JsonGenerator json;

  JsonLinesWriter(OutputStream sink) throws IOException {
    this.sink = sink;
    this.json = new JsonFactory().createGenerator(sink);
    json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
  }

  @Override
  public void write(KeyValuePair pair) throws IOException {
    json.writeStartObject();
    JsonFields.write(json, "key", pair.key());
    JsonFields.write(json, "value", pair.value());
    json.writeEndObject();
  }

  @Override
  public void finish() throws IOException {
    boolean any = json.getOutputContext().getEntryCount() > 0;
    json.close();
    if (any) {
      sink.write('\n');
    }
    sink.flush();
  }
}
