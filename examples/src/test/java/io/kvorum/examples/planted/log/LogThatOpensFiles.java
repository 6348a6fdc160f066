package io.kvorum.examples.planted.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Planted: durable state past the disk. */
class LogThatOpensFiles {
  byte[] read(Path file) throws IOException {
    return Files.readAllBytes(file);
  }
}
