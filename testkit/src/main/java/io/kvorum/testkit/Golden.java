package io.kvorum.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.opentest4j.AssertionFailedError;

/**
 * Compares what a test produced with a file below {@code src/test/resources/golden} that was
 * reviewed when it was recorded. {@code ./kvorum golden --update} ({@code -Dgolden.update=true})
 * records anew; the diff of the file is then the change of behaviour, for the reviewer to judge.
 *
 * <p>Without the switch nothing is ever written there: a missing file is a failure. What was
 * produced instead lies in {@code target/golden} for comparison.
 */
public final class Golden {
  private final Path expected;
  private final Path produced;
  private final boolean update;

  /**
   * @param expected the directory of the reviewed files
   * @param produced where the output of failed comparisons goes
   */
  Golden(Path expected, Path produced, boolean update) {
    this.expected = expected;
    this.produced = produced;
    this.update = update;
  }

  /** The golden files of the module in which this test class was compiled. */
  public static Golden of(Class<?> test) {
    TestModule module = TestModule.of(test);
    return new Golden(
        module.resources().resolve("golden"),
        module.target().resolve("golden"),
        Boolean.getBoolean("golden.update"));
  }

  /**
   * Fails unless the file holds exactly this text.
   *
   * @param name path below the golden directory, with its ending
   */
  public void check(String name, String actual) {
    String text = actual.isEmpty() || actual.endsWith("\n") ? actual : actual + "\n";
    Path file = resolve(name);
    if (update) {
      write(file, text);
      return;
    }
    if (!Files.exists(file)) {
      throw new AssertionFailedError(name + " is not recorded. " + hint(name, text), "", text);
    }
    String recorded = read(file);
    if (!recorded.equals(text)) {
      throw new AssertionFailedError(
          name + " differs " + firstDifference(recorded, text) + "\n  " + hint(name, text),
          recorded,
          text);
    }
  }

  /** Fails unless the file holds these bytes as {@link Hex#dump} writes them; pins formats. */
  public void check(String name, byte[] actual) {
    check(name, Hex.dump(actual));
  }

  /**
   * Runs a transcript: the file holds blocks, separated by blank lines, of input, a line {@code
   * ---}, and the output that the input must give. Lines that start with {@code #} before a block's
   * first input line are comments. Blocks run in order, so the runner may keep state.
   *
   * @param run gives the output for the lines of one input; blank lines in it are an error
   */
  public void transcript(String name, UnaryOperator<String> run) {
    Path file = resolve(name);
    if (!Files.exists(file)) {
      throw new AssertionFailedError(name + " does not exist: write its inputs first");
    }
    check(name, Transcript.replay(name, read(file), run));
  }

  /**
   * The names of the recorded files in a directory below the golden one, sorted.
   *
   * @throws AssertionError when there is none, since a loop over them would pass on nothing
   */
  public List<String> names(String directory, String ending) {
    Path start = resolve(directory);
    if (!Files.isDirectory(start)) {
      throw new AssertionError("no directory " + start);
    }
    try (Stream<Path> files = Files.walk(start)) {
      List<String> names =
          files
              .filter(file -> file.toString().endsWith(ending))
              .map(file -> expected.relativize(file).toString())
              .sorted()
              .toList();
      if (names.isEmpty()) {
        throw new AssertionError("no file *" + ending + " in " + start);
      }
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + start, e);
    }
  }

  private Path resolve(String name) {
    Path file = expected.resolve(name).normalize();
    if (!file.startsWith(expected)) {
      throw new IllegalArgumentException("outside the golden directory: " + name);
    }
    return file;
  }

  private String hint(String name, String actual) {
    Path file = produced.resolve(name);
    write(file, actual);
    return "Produced: " + file + "; ./kvorum golden --update records it.";
  }

  private static String firstDifference(String recorded, String actual) {
    List<String> was = recorded.lines().toList();
    List<String> is = actual.lines().toList();
    int line = 0;
    while (line < was.size() && line < is.size() && was.get(line).equals(is.get(line))) {
      line++;
    }
    String before = line < was.size() ? was.get(line) : "(end)";
    String after = line < is.size() ? is.get(line) : "(end)";
    return "in line " + (line + 1) + "\n  recorded: " + before + "\n  produced: " + after;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }
}
