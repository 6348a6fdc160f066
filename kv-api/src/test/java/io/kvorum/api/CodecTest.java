package io.kvorum.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.StringValue;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What codecs write and read. */
class CodecTest {
  private static <T> void assertRoundTrip(Codec<T> codec, T value, Bytes bytes) {
    assertThat(codec.encode(value)).isEqualTo(bytes);
    assertThat(codec.decode(bytes)).isEqualTo(value);
  }

  private static void assertMalformed(Codec<?> codec, int... bytes) {
    byte[] array = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      array[i] = (byte) bytes[i];
    }
    assertThatThrownBy(() -> codec.decode(Bytes.wrapUnsafe(array)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(bytes.length + " bytes cannot be decoded")
        .hasCauseInstanceOf(Exception.class);
  }

  @Test
  void valuesComeBackAsTheyWere() {
    assertRoundTrip(Codec.utf8(), "Grüße 🌍", Bytes.utf8("Grüße 🌍"));
    assertRoundTrip(Codec.bytes(), Bytes.utf8("x"), Bytes.utf8("x"));
    assertRoundTrip(
        Codec.int64(), -2L, Bytes.wrapUnsafe(new byte[] {-1, -1, -1, -1, -1, -1, -1, -2}));
    StringValue message = StringValue.of("text");
    assertRoundTrip(
        Codec.of(StringValue::toByteArray, StringValue::parseFrom),
        message,
        Bytes.wrapUnsafe(message.toByteArray()));
    assertRoundTrip(
        Codec.text(locale -> locale.toLanguageTag(), Locale::forLanguageTag),
        Locale.CANADA_FRENCH,
        Bytes.utf8("fr-CA"));
  }

  @Test
  void bytesThatStandForNothingAreRefused() {
    assertMalformed(Codec.utf8(), 0xc3, 0x28);
    assertMalformed(Codec.int64(), 1, 2, 3);
    assertMalformed(Codec.of(StringValue::toByteArray, StringValue::parseFrom), 0x0a, 0x7f, 1);
    assertMalformed(Codec.text(String::valueOf, Integer::valueOf), 'x');
    assertMalformed(Codec.text(String::valueOf, Integer::valueOf), 0xff);
  }
}
