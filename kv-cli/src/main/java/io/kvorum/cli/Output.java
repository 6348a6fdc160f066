package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.cli.transfer.JsonFields;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/** Standard output of a command: bytes and lines, buffered. A failed write ends the command. */
final class Output extends OutputStream {
  private final OutputStream out;

  Output(Terminal terminal) {
    this.out = new BufferedOutputStream(terminal.out(), 1 << 16);
  }

  /** What to write of a JSON object between its braces. */
  @FunctionalInterface
  interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /** The text in UTF-8 and a line end. */
  void line(String text) {
    write(text.getBytes(UTF_8));
    write('\n');
  }

  /** The bytes as they are and a line end. */
  void line(Bytes bytes) {
    write(bytes.arrayUnsafe());
    write('\n');
  }

  /** One JSON object on a line of its own. */
  void json(Fields fields) {
    try {
      JsonGenerator json = new JsonFactory().createGenerator(this);
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM);
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
      json.close();
    } catch (IOException failed) {
      throw failure(failed);
    }
    write('\n');
  }

  /** Key, value unless {@code keysOnly}, and history, as one JSON object. */
  void json(KeyValue found, boolean keysOnly) {
    json(json -> write(json, found, keysOnly));
  }

  /** What stands between the braces for a key. */
  static void write(JsonGenerator json, KeyValue found, boolean keysOnly) throws IOException {
    JsonFields.write(json, "key", found.key());
    if (!keysOnly) {
      JsonFields.write(json, "value", found.value());
    }
    json.writeNumberField("createRevision", found.createRevision());
    json.writeNumberField("modRevision", found.modRevision());
    json.writeNumberField("version", found.version());
    if (found.lease() != 0) {
      json.writeStringField("lease", LeaseId.text(found.lease()));
    }
  }

  @Override
  public void write(int b) {
    try {
      out.write(b);
    } catch (IOException failed) {
      throw failure(failed);
    }
  }

  @Override
  public void write(byte[] bytes) {
    write(bytes, 0, bytes.length);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    try {
      out.write(bytes, offset, length);
    } catch (IOException failed) {
      throw failure(failed);
    }
  }

  @Override
  public void flush() {
    try {
      out.flush();
    } catch (IOException failed) {
      throw failure(failed);
    }
  }

  /** Flushes; standard output itself stays open. */
  @Override
  public void close() {
    flush();
  }

  private static RuntimeException failure(IOException failed) {
    String message = String.valueOf(failed.getMessage());
    // EPIPE has no type of its own in Java; the text is strerror's in the C locale.
    if (message.toLowerCase(Locale.ROOT).contains("broken pipe")) {
      return new CommandFailure(ExitCode.OUTPUT_CLOSED, message);
    }
    return CommandFailure.resource("cannot write to standard output: " + message);
  }
}
