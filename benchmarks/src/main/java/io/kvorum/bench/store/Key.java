package io.kvorum.bench.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Locale;

/**
 * One of the keys that a load writes and reads: 16 bytes, of ASCII. Two with one number are equal.
 */
public final class Key {
  /** The letter that every key starts with. */
  public static final String PREFIX = "b";

  private final int number;
  private final String text;
  private final byte[] bytes;

  private Key(int number) {
    this.number = number;
    this.text = String.format(Locale.ROOT, PREFIX + "%015d", number);
    this.bytes = text.getBytes(US_ASCII);
  }

  /** The key with this number, from 0; the same in each process. */
  public static Key of(int number) {
    return new Key(number);
  }

  /** The number of the key with this text. */
  public static int numberOf(String text) {
    return Integer.parseInt(text, PREFIX.length(), text.length(), 10);
  }

  public int number() {
    return number;
  }

  public String text() {
    return text;
  }

  /** Of the text; the array itself, which nobody changes. */
  public byte[] bytes() {
    return bytes;
  }

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
