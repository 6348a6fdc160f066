package io.kvorum.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.opentest4j.TestAbortedException;

/**
 * The seeds of a randomised test: first those that once failed and were kept in {@code
 * src/test/resources/seeds/<TestName>.txt}, then fresh ones. A failure names the seed and the line
 * that replays it.
 *
 * <p>{@code -Dkvorum.seeds=N} says how many fresh seeds run instead of the test's own number.
 * {@code -Dkvorum.seed=N} says where they start: the first is N itself, the kept ones are left out.
 *
 * <pre>{@code
 * Seeds.of(LogModelTest.class).fresh(50).forEach(seed -> run(new SplittableRandom(seed)));
 * }</pre>
 */
public final class Seeds {
  /** The next seed is this much on (the golden ratio), so neighbours share no pattern. */
  private static final long STEP = 0x9E3779B97F4A7C15L;

  private static final int FRESH_DEFAULT = 20;

  private final String test;
  private final Path keptFile;
  private final Settings settings;
  private final int fresh;

  private Seeds(String test, Path keptFile, Settings settings, int fresh) {
    this.test = test;
    this.keptFile = keptFile;
    this.settings = settings;
    this.fresh = fresh;
  }

  /** The seeds of this test class, kept in the module it was compiled in. */
  public static Seeds of(Class<?> test) {
    Path resources = TestModule.of(test).resources();
    return of(test.getSimpleName(), resources.resolve("seeds"), Settings.ofSystem());
  }

  static Seeds of(String test, Path directory, Settings settings) {
    return new Seeds(test, directory.resolve(test + ".txt"), settings, FRESH_DEFAULT);
  }

  /** With this many fresh seeds, unless {@code -Dkvorum.seeds} says otherwise. */
  public Seeds fresh(int count) {
    if (count < 0) {
      throw new IllegalArgumentException("fresh seeds must not be negative: " + count);
    }
    return new Seeds(test, keptFile, settings, count);
  }

  /**
   * Runs the body once for each seed and stops at the first that fails.
   *
   * @throws AssertionError that names the seed and how to replay it, caused by the failure
   */
  public void forEach(Body body) {
    List<Long> seeds = list();
    if (seeds.isEmpty()) {
      throw new AssertionError(test + " has no seed to run: it would pass on nothing");
    }
    for (long seed : seeds) {
      run(seed, body);
    }
  }

  /** The seeds in the order in which they run: kept ones, then fresh ones. */
  List<Long> list() {
    List<Long> seeds = new ArrayList<>();
    if (settings.base() == null) {
      seeds.addAll(kept());
    }
    long base = settings.base() == null ? new SplittableRandom().nextLong() : settings.base();
    int count = settings.count() == null ? fresh : settings.count();
    for (int i = 0; i < count; i++) {
      seeds.add(base + i * STEP);
    }
    return seeds;
  }

  private void run(long seed, Body body) {
    try {
      body.run(seed);
    } catch (TestAbortedException e) {
      // An assumption does not hold here: that is no failure of this seed.
      throw e;
    } catch (Throwable e) {
      // Whatever it was, the seed must reach the reader together with it.
      String replay = "./kvorum test --seed " + seed + " --only " + test;
      throw new AssertionError(
          "seed "
              + seed
              + " failed: "
              + e
              + "\n  replay: "
              + replay
              + "\n  keep: add it to "
              + keptFile.getFileName()
              + " in src/test/resources/seeds",
          e);
    }
  }

  private List<Long> kept() {
    if (!Files.exists(keptFile)) {
      return List.of();
    }
    List<Long> seeds = new ArrayList<>();
    List<String> lines = readLines();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).replaceFirst("#.*", "").strip();
      if (!line.isEmpty()) {
        seeds.add(parse(line, i + 1));
      }
    }
    return seeds;
  }

  private List<String> readLines() {
    try {
      return Files.readAllLines(keptFile);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the kept seeds in " + keptFile, e);
    }
  }

  private long parse(String line, int number) {
    try {
      return Long.parseLong(line);
    } catch (NumberFormatException e) {
      throw new AssertionError(keptFile + ":" + number + " is not a seed: " + line, e);
    }
  }

  /** One run of the test; everything random in it follows from the seed. */
  @FunctionalInterface
  public interface Body {
    void run(long seed) throws Exception;
  }
}
