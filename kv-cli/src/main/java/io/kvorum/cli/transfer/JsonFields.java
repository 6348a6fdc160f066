package io.kvorum.cli.transfer;

import com.fasterxml.jackson.core.JsonGenerator;
import io.kvorum.api.Bytes;
import java.io.IOException;
import java.util.Base64;

/** How keys and values stand in JSON. */
public final class JsonFields {
  private JsonFields() {}

  /** As {@code name} when the bytes are UTF-8, else in base64 as {@code nameBase64}. */
  public static void write(JsonGenerator json, String name, Bytes bytes) throws IOException {
    String text = Text.utf8OrNull(bytes);
    if (text != null) {
      json.writeStringField(name, text);
    } else {
      json.writeStringField(
          name + "Base64", Base64.getEncoder().encodeToString(bytes.arrayUnsafe()));
    }
  }
}
