package io.kvorum.cli.transfer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.util.HexFormat;

/** Writes {@link Format#PROPERTIES}, in ASCII only, so that any reader's charset will do. */
final class PropertiesWriter implements RecordWriter {
  private static final HexFormat HEX = HexFormat.of();

  private final OutputStream sink;

  PropertiesWriter(OutputStream sink) {
    this.sink = sink;
  }

  @Override
  public void write(KeyValuePair pair) throws IOException {
    StringBuilder line = new StringBuilder();
    append(line, Text.surrogateEscaped(pair.key()));
    line.append('=');
    append(line, Text.surrogateEscaped(pair.value()));
    sink.write(line.append('\n').toString().getBytes(US_ASCII));
  }

  /** Spaces and separators need an escape only in some places; one in every place does no harm. */
  private static void append(StringBuilder line, String text) {
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      switch (c) {
        case '\\', ' ', '=', ':', '#', '!' -> line.append('\\').append(c);
        case '\t' -> line.append("\\t");
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\f' -> line.append("\\f");
        default -> {
          if (c < ' ' || c > '~') {
            line.append("\\u").append(HEX.toHexDigits(c));
          } else {
            line.append(c);
          }
        }
      }
    }
  }

  @Override
  public void finish() throws IOException {
    sink.flush();
  }
}
