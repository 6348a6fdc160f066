package io.kvorum.examples.planted.log;

import java.nio.file.Path;

/** A near miss: names a file, and leaves it to others to open it. */
class LogThatNamesAFile {
  Path segment(Path directory) {
    return directory.resolve("segment");
  }
}
