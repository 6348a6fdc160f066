package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RecordCodecTest {
  private static final int MAX = 1 << 20;

  /** The bytes of the format, pinned: a change here is a change of format and needs a version. */
  @Test
  void layoutIsTheDocumentedOne() {
    Entry entry = new Entry(0x1122, 0x33, EntryType.COMMAND, new byte[] {'k', 'v'});
    ByteBuffer bytes = ByteBuffer.allocate(64);
    RecordCodec.encode(entry, 5, 0, bytes);
    String hex = HexFormat.of().formatHex(bytes.array(), 0, bytes.position());
    assertThat(hex.substring(0, 8)).isEqualTo("22000000");
    assertThat(hex.substring(16, 28)).isEqualTo("050000000200");
    assertThat(hex.substring(32))
        .isEqualTo("22110000000000003300000000000000" + "6b76a5a5a5a5a5a5");
    assertThat(hex.substring(8, 16) + hex.substring(28, 32)).isEqualTo("33086f49" + "abf9");
  }

  @Property
  void decodingUndoesEncoding(
      @ForAll @LongRange(min = 1) long index,
      @ForAll @LongRange(min = 1) long term,
      @ForAll EntryType type,
      @ForAll @Size(max = 200) byte[] payload,
      @ForAll int group,
      @ForAll long seed) {
    Entry entry = new Entry(index, term, type, payload);
    int size = RecordCodec.encodedBytes(entry);
    ByteBuffer bytes = ByteBuffer.allocateDirect(size + 5);
    RecordCodec.encode(entry, group, seed, bytes);
    assertThat(bytes.position()).isEqualTo(size);
    assertThat(size % 8).isZero();
    assertThat(RecordCodec.encodedBytes(List.of(entry, entry))).isEqualTo(2L * size);

    bytes.flip();
    Entry decoded = RecordCodec.decode(bytes, group, seed, MAX);
    assertThat(bytes.hasRemaining()).isFalse();
    TestLog.assertSame(List.of(decoded), List.of(entry));
  }

  @Property(tries = 100)
  void anyFlippedBitIsFound(@ForAll @Size(max = 40) byte[] payload, @ForAll long seed) {
    ByteBuffer bytes = encoded(payload, seed);
    for (int bit = 0; bit < bytes.limit() * 8; bit++) {
      flip(bytes, bit);
      assertThatThrownBy(() -> RecordCodec.decode(bytes, 7, seed, MAX))
          .isInstanceOf(BadRecordException.class);
      // A header is believed by itself: its own check must find what is wrong with it.
      boolean inCheckedHeader = bit < 32 || (bit >= 64 && bit < 256);
      assertThat(RecordCodec.headerBytes(bytes, 0, seed) == 0).isEqualTo(inCheckedHeader);
      flip(bytes, bit);
    }
    assertThat(bytes.position()).isZero();
    RecordCodec.decode(bytes, 7, seed, MAX);
  }

  @Property(tries = 100)
  void noPartOfARecordIsARecord(@ForAll @Size(max = 40) byte[] payload, @ForAll long seed) {
    ByteBuffer bytes = encoded(payload, seed);
    int size = bytes.limit();
    for (int cut = 0; cut < size; cut++) {
      ByteBuffer part = bytes.duplicate().limit(cut);
      assertThatThrownBy(() -> RecordCodec.decode(part, 7, seed, MAX))
          .isInstanceOf(BadRecordException.class);
      ByteBuffer zeroed = ByteBuffer.allocate(size);
      zeroed.put(0, bytes, 0, cut);
      assertThatThrownBy(() -> RecordCodec.decode(zeroed, 7, seed, MAX))
          .isInstanceOf(BadRecordException.class);
    }
  }

  @Property
  void randomBytesAreNoRecord(@ForAll @Size(max = 100) byte[] bytes) {
    assertThatThrownBy(() -> RecordCodec.decode(ByteBuffer.wrap(bytes), 7, 0, MAX))
        .isInstanceOf(BadRecordException.class);
  }

  /** F033: a length is checked before it is believed. */
  @Test
  void wrongLengthsAllocateNothing() {
    for (int length : new int[] {0, -1, 31, Integer.MAX_VALUE, Integer.MIN_VALUE, 42, 39, 41}) {
      ByteBuffer bytes = encoded(new byte[8], 0);
      bytes.order(ByteOrder.LITTLE_ENDIAN).putInt(0, length);
      assertThatThrownBy(() -> RecordCodec.decode(bytes, 7, 0, MAX))
          .as("length %d", length)
          .isInstanceOf(BadRecordException.class);
    }
  }

  @Test
  void limitIsTheLargestPayload() {
    RecordCodec.decode(encoded(new byte[100], 0), 7, 0, 100);
    assertThatThrownBy(() -> RecordCodec.decode(encoded(new byte[101], 0), 7, 0, 100))
        .isInstanceOf(BadRecordException.class)
        .hasMessageContaining("101 bytes; allowed are 100");
  }

  @Test
  void anotherGroupOrSeedIsRefused() {
    assertThatThrownBy(() -> RecordCodec.decode(encoded(new byte[1], 0), 8, 0, MAX))
        .isInstanceOf(BadRecordException.class)
        .hasMessageContaining("group 7");
    assertThatThrownBy(() -> RecordCodec.decode(encoded(new byte[1], 5), 7, 6, MAX))
        .isInstanceOf(BadRecordException.class);
  }

  @Test
  void marksAreNoEntries() {
    ByteBuffer bytes = ByteBuffer.allocate(RecordCodec.MARK_BYTES);
    RecordCodec.encodeMark(5, 7, 0, bytes);
    assertThatThrownBy(() -> RecordCodec.decode(bytes.flip(), 7, 0, MAX))
        .isInstanceOf(BadRecordException.class);
    assertThat(bytes.position()).isZero();
  }

  private static ByteBuffer encoded(byte[] payload, long seed) {
    Entry entry = new Entry(3, 2, EntryType.COMMAND, payload);
    ByteBuffer bytes = ByteBuffer.allocate(RecordCodec.encodedBytes(entry));
    RecordCodec.encode(entry, 7, seed, bytes);
    return bytes.flip().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void flip(ByteBuffer bytes, int bit) {
    bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ (1 << (bit % 8))));
  }
}
