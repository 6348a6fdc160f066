package io.kvorum.testkit;

import org.jspecify.annotations.Nullable;

/**
 * What the command line says about seeds.
 *
 * @param base the first fresh seed ({@code -Dkvorum.seed}); null when each run draws its own
 * @param count how many fresh seeds ({@code -Dkvorum.seeds}); null when the test decides
 */
record Settings(@Nullable Long base, @Nullable Integer count) {

  static Settings ofSystem() {
    Long base = number("kvorum.seed");
    Long count = number("kvorum.seeds");
    return new Settings(base, count == null ? null : Math.toIntExact(count));
  }

  /** A mistyped number must not silently run other seeds, so no default takes its place. */
  private static @Nullable Long number(String property) {
    String text = System.getProperty(property);
    if (text == null || text.isBlank()) {
      return null;
    }
    try {
      return Long.valueOf(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("-D" + property + " is no number: " + text, e);
    }
  }
}
