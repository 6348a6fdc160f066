package io.kvorum.bench.load;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * A line of words {@code name=value}, in order: how a client process is told what to do, and says
 * what came of it. Neither names nor values hold spaces.
 */
public final class Fields {
  private final Map<String, String> values = new LinkedHashMap<>();

  /** Adds a word. */
  public Fields with(String name, Object value) {
    String text = String.valueOf(value);
    if (text.isEmpty() || text.chars().anyMatch(Character::isWhitespace)) {
      throw new IllegalArgumentException(name + " cannot be said in one word: '" + text + "'");
    }
    values.put(name, text);
    return this;
  }

  /**
   * Reads what {@link #toString} has written.
   *
   * @throws IllegalArgumentException if it is not that
   */
  public static Fields parse(String line) {
    Fields fields = new Fields();
    for (String word : line.strip().split(" ", -1)) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("not name=value: " + word);
      }
      fields.with(word.substring(0, equals), word.substring(equals + 1));
    }
    return fields;
  }

  /**
   * The value of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no " + name + " in: " + this);
    }
    return value;
  }

  /** As {@link #text}, a whole number. */
  public long number(String name) {
    return Long.parseLong(text(name));
  }

  @Override
  public String toString() {
    StringJoiner line = new StringJoiner(" ");
    values.forEach((name, value) -> line.add(name + "=" + value));
    return line.toString();
  }
}
