package io.kvorum.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.testkit.Golden;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class ManifestTest {
  private static final Manifest MANIFEST = TestSnapshots.manifest(4711);

  @Test
  void bytesAreThoseOfTheFormat() {
    Golden.of(ManifestTest.class).check("format/manifest.hex", MANIFEST.encode());
  }

  @Test
  void decodingGivesWhatWasEncoded() {
    Manifest decoded = Manifest.decode(MANIFEST.encode(), "test");
    assertThat(decoded).isEqualTo(MANIFEST).hasSameHashCodeAs(MANIFEST);
    assertThat(decoded.clusterId()).isEqualTo("kvorum");
    assertThat(decoded.meta()).isEqualTo(TestSnapshots.meta(4711, 3));
    assertThat(decoded.about()).isEqualTo(TestSnapshots.ABOUT);
    assertThat(decoded.files()).isEqualTo(MANIFEST.files()).hasSize(4);
    assertThat(decoded.name()).isEqualTo("00000000000000004711-3");
    assertThat(decoded.bytes()).isEqualTo(1500 + 4 + 1100);
    assertThat(decoded).isNotEqualTo(TestSnapshots.manifest(4712));
  }

  /** There digits look otherwise, to whom it does not say which language it wants. */
  @Test
  void theNameIsTheSameInEveryLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertThat("%d".formatted(4711)).as("digits of the locale").isNotEqualTo("4711");
      assertThat(MANIFEST.name()).isEqualTo("00000000000000004711-3");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void noDamagedByteIsOverlooked() {
    byte[] good = MANIFEST.encode();
    for (int bit = 0; bit < good.length * 8; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> Manifest.decode(bad, "there"))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("there");
    }
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> Manifest.decode(cut, "there"))
          .isInstanceOf(CorruptSnapshotException.class);
    }
    assertThatThrownBy(() -> Manifest.decode(Arrays.copyOf(good, good.length + 1), "there"))
        .isInstanceOf(CorruptSnapshotException.class);
  }

  /** Each with a right checksum: what another program, or a bug, might have written. */
  @Test
  void nothingIsAllocatedOrBelievedByADeclaredSize() {
    byte[] good = MANIFEST.encode();
    for (int at = 12; at < good.length - 4; at++) {
      for (int value : new int[] {0, 1, 0x7f, 0x80, 0xff}) {
        byte[] other = good.clone();
        other[at] = (byte) value;
        Manifest decoded = decodeOrNull(seal(other));
        // Either it means something else, in its one encoding, or it is refused.
        assertThat(decoded == null || Arrays.equals(decoded.encode(), other)).isTrue();
      }
    }
  }

  private static Manifest decodeOrNull(byte[] bytes) {
    try {
      return Manifest.decode(bytes, "there");
    } catch (CorruptSnapshotException e) {
      return null;
    }
  }

  @Test
  void newerFormatIsRefusedByName() {
    byte[] newer = MANIFEST.encode();
    newer[8] = 2;
    assertThatThrownBy(() -> Manifest.decode(seal(newer), "there"))
        .isInstanceOf(SnapshotRefusedException.class)
        .hasMessage(
            "there has format 2, this version of Kvorum reads format 1:"
                + " run the version that wrote it");
  }

  @Test
  void filesAreNamedOnceAndInOrder() {
    SnapshotFile a = new SnapshotFile("a", 1, Hash.ofContent(new byte[1]));
    SnapshotFile b = new SnapshotFile("b", 1, Hash.ofContent(new byte[1]));
    for (List<SnapshotFile> files : List.of(List.of(b, a), List.of(a, a))) {
      assertThatThrownBy(() -> new Manifest("c", TestSnapshots.meta(1, 1), new byte[0], files))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not in order");
    }
  }

  /** A member must not be able to write outside the directory of the snapshot. */
  @Test
  void namesOfFilesArePlain() {
    Hash hash = Hash.ofContent(new byte[1]);
    for (String name : List.of("", ".", "..", "../a", "a/b", "a\\b", ".a", "a b", "a.incoming")) {
      assertThatThrownBy(() -> new SnapshotFile(name, 1, hash))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> new SnapshotFile("a", 0, hash))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new SnapshotFile("a", -1, hash))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Hash.of(new byte[31])).isInstanceOf(IllegalArgumentException.class);
  }

  static byte[] seal(byte[] manifest) {
    CRC32C crc = new CRC32C();
    crc.update(manifest, 0, manifest.length - 4);
    ByteBuffer.wrap(manifest)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(manifest.length - 4, (int) crc.getValue());
    return manifest;
  }
}
