package io.kvorum.bench.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Values that know where they belong. */
class ValuesTest {
  private final Values values = new Values(29);
  private final Key key = Key.of(12);

  @Test
  void aValueSaysWhichWriteItIs() {
    assertThat(values.encode(key, 5)).hasSize(29);
    assertThat(values.sequence(key, values.encode(key, 5))).isEqualTo(5);
  }

  @Test
  void everyOtherByteIsNoticed() {
    for (int i = 0; i < 29; i++) {
      byte[] value = values.encode(key, 5);
      value[i] ^= 1;
      assertThatThrownBy(() -> values.sequence(key, value))
          .as("byte " + i)
          .isInstanceOf(WrongValueException.class);
    }
  }

  @Test
  void theValueOfAnotherKeyOrOfNoneIsWrong() {
    assertThatThrownBy(() -> values.sequence(key, values.encode(Key.of(13), 5)))
        .isInstanceOf(WrongValueException.class);
    assertThatThrownBy(() -> values.sequence(key, null)).hasMessageContaining("holds nothing");
    assertThatThrownBy(() -> values.sequence(key, new byte[3])).hasMessageContaining("3 bytes");
  }

  @Test
  void aKeyHasSixteenBytesAndItsNumber() {
    assertThat(key.bytes()).hasSize(16);
    assertThat(Key.numberOf(key.text())).isEqualTo(12);
  }
}
