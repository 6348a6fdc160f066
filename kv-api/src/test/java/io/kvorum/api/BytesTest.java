package io.kvorum.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class BytesTest {
  private static Bytes of(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return Bytes.copyOf(bytes);
  }

  @Test
  void ordersUnsigned() {
    assertThat(of(0x7f)).isLessThan(of(0x80));
    assertThat(of(0x80)).isLessThan(of(0xff));
    assertThat(of()).isLessThan(of(0x00));
    assertThat(of(0x61)).isLessThan(of(0x61, 0x00));
    assertThat(of(0x61, 0xff)).isLessThan(of(0x62));
  }

  @Property
  void ordersAsUnsignedNumbersByteByByte(@ForAll byte[] left, @ForAll byte[] right) {
    int expected = Integer.compare(left.length, right.length);
    for (int i = Math.min(left.length, right.length) - 1; i >= 0; i--) {
      int here = Integer.compare(left[i] & 0xff, right[i] & 0xff);
      expected = here == 0 ? expected : here;
    }
    assertThat(Integer.signum(Bytes.copyOf(left).compareTo(Bytes.copyOf(right))))
        .isEqualTo(Integer.signum(expected));
  }

  @Property
  void equalBytesAreEqualAndHashAlike(@ForAll byte[] bytes) {
    assertThat(Bytes.copyOf(bytes)).isEqualTo(Bytes.copyOf(bytes.clone()));
    assertThat(Bytes.copyOf(bytes)).hasSameHashCodeAs(Bytes.copyOf(ByteBuffer.wrap(bytes)));
    assertThat(Bytes.copyOf(bytes).toByteArray()).isEqualTo(bytes);
  }

  @Test
  void changingTheSourceOrACopyChangesNothing() {
    byte[] source = {1, 2, 3};
    Bytes bytes = Bytes.copyOf(source);
    source[0] = 9;
    bytes.toByteArray()[1] = 9;
    assertThat(bytes).isEqualTo(of(1, 2, 3));
    Assertions.assertThatThrownBy(() -> bytes.asByteBuffer().put(0, (byte) 9))
        .isInstanceOf(ReadOnlyBufferException.class);
  }

  @Test
  void copiesOnlyWhatABufferHasLeft() {
    ByteBuffer buffer = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});
    buffer.position(1).limit(3);
    assertThat(Bytes.copyOf(buffer)).isEqualTo(of(2, 3));
    assertThat(buffer.position()).isEqualTo(1);
  }

  @Property
  void startsWithWhatWasPutInFront(@ForAll byte[] prefix, @ForAll byte[] rest) {
    byte[] whole = new byte[prefix.length + rest.length];
    System.arraycopy(prefix, 0, whole, 0, prefix.length);
    System.arraycopy(rest, 0, whole, prefix.length, rest.length);
    assertThat(Bytes.copyOf(whole).startsWith(Bytes.copyOf(prefix))).isTrue();
    assertThat(Bytes.copyOf(prefix).startsWith(Bytes.copyOf(whole))).isEqualTo(rest.length == 0);
  }

  @Test
  void printsTextAsTextAndTheRestAsHex() {
    assertThat(Bytes.utf8("grün")).hasToString("grün");
    assertThat(of(0xff, 0x00)).hasToString("0xff00");
    assertThat(Bytes.utf8("two\nlines")).hasToString("0x74776f0a6c696e6573");
  }
}
