package io.kvorum.examples.planted.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A near miss: the reader of the configuration file is allowed to read it. */
class Settings {
  String read(Path file) throws IOException {
    return Files.readString(file);
  }
}
