package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** A file of an archive outlives the version that wrote it: its bytes are those of FORMATS.md. */
class ArchiveFileTest {
  private static final ArchiveFile FILE =
      new ArchiveFile(
          "c1",
          new EntryId(9, 4),
          List.of(
              Entry.noOp(10, 5),
              new Entry(11, 5, EntryType.COMMAND, "put a=1".getBytes(StandardCharsets.US_ASCII))));

  /** Magic, version, cluster id, the entry before, then each entry, and the checksum. */
  private static final byte[] UNPACKED =
      HexFormat.of()
          .parseHex(
              "564f52554d415243"
                  + "010000000200"
                  + "6331"
                  + "0900000000000000040000000000000002000000"
                  + "0a0000000000000005000000000000000100000000"
                  + "0b0000000000000005000000000000000207000000"
                  + "70757420613d31"
                  + "0c2c42c6");

  private static byte[] pack(byte[] bytes) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }

  @Test
  void bytesAreTheDocumentedOnes() throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(FILE.encode()))) {
      assertThat(in.readAllBytes()).isEqualTo(UNPACKED);
    }
    ArchiveFile read = ArchiveFile.decode(pack(UNPACKED), "here");
    assertThat(read.clusterId()).isEqualTo("c1");
    assertThat(read.before()).isEqualTo(FILE.before());
    assertThat(read.entries()).extracting(Entry::id).containsExactly(id(10), id(11));
    assertThat(read.entries().get(1).payload()).isEqualTo(FILE.entries().get(1).payload());
  }

  private static EntryId id(long index) {
    return new EntryId(index, 5);
  }

  @Test
  void aLaterVersionIsRefusedByItsNumber() throws IOException {
    byte[] later = UNPACKED.clone();
    later[8] = 2;
    CRC32C crc = new CRC32C();
    crc.update(later, 0, later.length - 4);
    ByteBuffer.wrap(later)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(later.length - 4, (int) crc.getValue());
    byte[] packed = pack(later);
    assertThatThrownBy(() -> ArchiveFile.decode(packed, "here"))
        .isInstanceOf(CorruptArchiveException.class)
        .hasMessageContaining("here has format 2")
        .hasMessageContaining("reads format 1");
  }
}
