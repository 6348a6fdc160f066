package io.kvorum.simulator.zoo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The bugs of the zoo, in a checkout of the sources, which they are edits of. */
final class Bugs {
  private static final String DIRECTORY = "simulator/src/zoo";
  private static final String ENDING = ".bug";

  private Bugs() {}

  /**
   * All of them, in order of name.
   *
   * @param root of the checkout
   * @throws IllegalArgumentException if there is none, or one is malformed
   */
  static List<PlantedBug> in(Path root) {
    Path directory = root.resolve(DIRECTORY);
    if (!Files.isDirectory(directory)) {
      throw new IllegalArgumentException(
          "no zoo in " + root.toAbsolutePath() + ": it needs a checkout with " + DIRECTORY);
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(ENDING))
          .sorted()
          .map(Bugs::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PlantedBug read(Path file) {
    String name = file.getFileName().toString();
    try {
      return PlantedBug.parse(
          name.substring(0, name.length() - ENDING.length()),
          Files.readString(file, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
