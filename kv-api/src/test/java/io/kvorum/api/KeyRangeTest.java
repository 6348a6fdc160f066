package io.kvorum.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyRangeTest {
  private static Bytes hex(String text) {
    return Bytes.copyOf(HexFormat.of().parseHex(text));
  }

  /** The table of FAULTS F138, each end computed by hand. */
  @ParameterizedTest
  @CsvSource({
    "'', 00, null",
    "00, 00, 01",
    "7f, 7f, 80",
    "80, 80, 81",
    "ff, ff, null",
    "ffff, ffff, null",
    "61ff, 61ff, 62",
    "61ffff, 61ffff, 62",
  })
  void prefixEnds(String prefix, String from, String to) {
    KeyRange range = KeyRange.prefix(hex(prefix));
    assertThat(range.from()).isEqualTo(hex(from));
    assertThat(range.to()).isEqualTo(to.equals("null") ? null : hex(to));
    assertSameAsFilter(hex(prefix), allShortKeys());
  }

  @Property
  void prefixHoldsWhatStartsWithIt(
      @ForAll("edgyKeys") byte[] prefix, @ForAll("keyLists") List<byte[]> keys) {
    assertSameAsFilter(Bytes.copyOf(prefix), keys.stream().map(Bytes::copyOf).toList());
  }

  private static void assertSameAsFilter(Bytes prefix, List<Bytes> keys) {
    KeyRange range = KeyRange.prefix(prefix);
    for (Bytes key : keys) {
      if (!key.isEmpty()) {
        assertThat(range.contains(key))
            .as("%s in %s", key, range)
            .isEqualTo(key.startsWith(prefix));
      }
    }
  }

  /** Every key of one to three of the bytes at which arithmetic on bytes goes wrong. */
  private static List<Bytes> allShortKeys() {
    byte[] edges = {0, 1, 0x60, 0x61, 0x62, 0x7e, 0x7f, (byte) 0x80, (byte) 0x81, -2, -1};
    List<Bytes> keys = new ArrayList<>();
    for (byte first : edges) {
      keys.add(Bytes.copyOf(new byte[] {first}));
      for (byte second : edges) {
        keys.add(Bytes.copyOf(new byte[] {first, second}));
        for (byte third : edges) {
          keys.add(Bytes.copyOf(new byte[] {first, second, third}));
        }
      }
    }
    return keys;
  }

  @Provide
  Arbitrary<byte[]> edgyKeys() {
    return Arbitraries.of((byte) 0, (byte) 1, (byte) 0x7f, (byte) 0x80, (byte) 0xfe, (byte) 0xff)
        .array(byte[].class)
        .ofMaxSize(4);
  }

  @Provide
  Arbitrary<List<byte[]>> keyLists() {
    return edgyKeys().list().ofMaxSize(20);
  }

  @Test
  void singleHoldsTheKeyAndNothingElse() {
    KeyRange range = KeyRange.single(hex("61"));
    assertThat(allShortKeys().stream().filter(range::contains)).containsExactly(hex("61"));
    assertThat(range.contains(hex("6100"))).isFalse();
  }

  @Test
  void allHoldsEveryKey() {
    assertThat(allShortKeys()).allMatch(KeyRange.all()::contains);
  }

  @Test
  void reversedEmptyAndStartlessRangesAreRefused() {
    assertThatThrownBy(() -> KeyRange.of(hex("62"), hex("61")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("reversed");
    assertThatThrownBy(() -> KeyRange.of(hex("61"), hex("61")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> KeyRange.from(Bytes.EMPTY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one byte");
    assertThatThrownBy(() -> KeyRange.of(hex("7f"), hex("00")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(KeyRange.of(hex("7f"), hex("80")).contains(hex("7fff"))).isTrue();
  }
}
