package io.kvorum.simulator.world;

import java.util.SplittableRandom;

/**
 * The sources of chance of a run: one for each purpose, so that what happens in one place does not
 * change what is drawn in another.
 */
final class Streams {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final long seed;

  Streams(long seed) {
    this.seed = seed;
  }

  /** The stream of that name; the same each time it is asked for. */
  SplittableRandom of(String purpose) {
    long mixed = seed;
    for (int i = 0; i < purpose.length(); i++) {
      mixed = (mixed ^ purpose.charAt(i)) * GOLDEN;
      mixed ^= mixed >>> 29;
    }
    return new SplittableRandom(mixed);
  }
}
