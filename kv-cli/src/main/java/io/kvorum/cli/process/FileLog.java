package io.kvorum.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/** Appends lines to a file. */
public final class FileLog implements Consumer<String> {
  private final Path file;

  /** Makes the directory of the file if need be. */
  public FileLog(Path file) {
    this.file = file;
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      try {
        Files.createDirectories(directory);
      } catch (IOException failed) {
        throw new UncheckedIOException("cannot make " + directory, failed);
      }
    }
  }

  /** On disk, for the kernel's part, when it returns: a kill -9 of this process loses no line. */
  @Override
  public synchronized void accept(String line) {
    byte[] bytes = (line + "\n").getBytes(UTF_8);
    try {
      Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot write to " + file, failed);
    }
  }
}
