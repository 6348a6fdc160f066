package io.kvorum.bench.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The directory of {@code --dir}, in which a benchmark writes and deletes. */
public final class DataDirectory {
  private DataDirectory() {}

  /**
   * It, or a temporary one for null; exists and is empty.
   *
   * @throws IllegalArgumentException if it is no directory, or holds something
   */
  public static Path take(@Nullable Path directory) throws IOException {
    if (directory == null) {
      return Files.createTempDirectory("kvorum-bench-");
    }
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new IllegalArgumentException(
          "--dir wants an empty directory, not the file " + directory);
    }
    Files.createDirectories(directory);
    try (var inside = Files.list(directory)) {
      if (inside.findAny().isPresent()) {
        throw new IllegalArgumentException("--dir wants an empty directory, not " + directory);
      }
    }
    return directory.toAbsolutePath();
  }

  /** Deletes it with all that is in it. */
  public static void delete(Path directory) {
    try (var all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot delete " + directory, failed);
    }
  }
}
