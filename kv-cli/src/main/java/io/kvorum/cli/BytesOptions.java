package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.kvorum.api.Bytes;
import io.kvorum.cli.transfer.Text;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.HexFormat;
import picocli.CommandLine.Option;

/** How keys and values are written in arguments and in text output. */
final class BytesOptions {
  @Option(
      names = "--hex",
      description = "Keys and values are in hexadecimal, in arguments and in text output.")
  private boolean hex;

  @Option(
      names = "--base64",
      description = "Keys and values are in base64, in arguments and in text output.")
  private boolean base64;

  /** The bytes that an argument means: its UTF-8 encoding, unless an option says otherwise. */
  Bytes parse(String what, String argument) {
    if (hex && base64) {
      throw CommandFailure.usage("--hex and --base64 exclude each other");
    }
    try {
      if (hex) {
        return Bytes.wrapUnsafe(HexFormat.of().parseHex(argument));
      }
      return base64
          ? Bytes.wrapUnsafe(Base64.getDecoder().decode(argument))
          : Text.strictUtf8(argument);
    } catch (IllegalArgumentException malformed) {
      throw CommandFailure.usage(
          what + " is not in " + (hex ? "hexadecimal" : "base64") + ": " + argument);
    } catch (CharacterCodingException malformed) {
      throw CommandFailure.usage(what + " is no valid text");
    }
  }

  /** One line, whatever the bytes: escaped as {@link Text#escaped}, or as an option says. */
  String line(Bytes bytes) {
    return encodes() ? new String(raw(bytes).arrayUnsafe(), US_ASCII) : Text.escaped(bytes);
  }

  /** The bytes themselves, or as an option says. */
  Bytes raw(Bytes bytes) {
    if (hex) {
      return Bytes.utf8(HexFormat.of().formatHex(bytes.arrayUnsafe()));
    }
    return base64 ? Bytes.wrapUnsafe(Base64.getEncoder().encode(bytes.arrayUnsafe())) : bytes;
  }

  private boolean encodes() {
    return hex || base64;
  }
}
