package io.kvorum.bench.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Locale;

/**
 * One of the keys that a load writes and reads: 16 bytes, of ASCII.
 *
 * @param number from 0
 * @param bytes of the text; nobody changes them
 */
public record Key(int number, String text, byte[] bytes) {
  /** The letter that every key starts with. */
  public static final String PREFIX = "b";

  /** The key with this number, the same in each process. */
  public static Key of(int number) {
    String text = String.format(Locale.ROOT, PREFIX + "%015d", number);
    return new Key(number, text, text.getBytes(US_ASCII));
  }

  /** The number of the key with this text. */
  public static int numberOf(String text) {
    return Integer.parseInt(text, PREFIX.length(), text.length(), 10);
  }

  /** Two keys with one number are the same. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Key that && number == that.number;
  }

  @Override
  public int hashCode() {
    return number;
  }

  @Override
  public String toString() {
    return text;
  }
}
