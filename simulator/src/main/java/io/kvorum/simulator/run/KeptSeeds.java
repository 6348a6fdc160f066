package io.kvorum.simulator.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The seeds that once failed: one a line, {@code #} starts a comment. */
public final class KeptSeeds {
  private static final String RESOURCE = "/seeds/sim.txt";

  private KeptSeeds() {}

  /** Those that this version was built with, in the order in which they stand in the file. */
  public static List<Long> all() {
    try (InputStream file = KeptSeeds.class.getResourceAsStream(RESOURCE)) {
      if (file == null) {
        throw new IllegalStateException("the resource " + RESOURCE + " is missing");
      }
      return parse(new String(file.readAllBytes(), UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read " + RESOURCE, unreadable);
    }
  }

  static List<Long> parse(String text) {
    List<Long> seeds = new ArrayList<>();
    for (String line : text.lines().toList()) {
      String seed = line.replaceFirst("#.*", "").strip();
      if (!seed.isEmpty()) {
        seeds.add(Long.valueOf(seed));
      }
    }
    return seeds;
  }
}
