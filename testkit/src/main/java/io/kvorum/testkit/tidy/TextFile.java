package io.kvorum.testkit.tidy;

import java.nio.file.Path;
import java.util.List;

/**
 * A text file of the tree.
 *
 * @param path relative to the root
 * @param text all of it
 * @param lines the same without line ends; line n of the file stands at n − 1
 */
record TextFile(Path path, String text, List<String> lines) {

  TextFile(Path path, String text) {
    this(path, text, text.lines().toList());
  }

  boolean endsWith(String ending) {
    return path.toString().endsWith(ending);
  }

  /** The first directory of the path: a module, {@code docs}, or the file itself at the root. */
  String top() {
    return path.getName(0).toString();
  }

  boolean isMain() {
    return path.getNameCount() > 2 && path.subpath(1, 3).equals(Path.of("src", "main"));
  }

  boolean isTest() {
    return path.getNameCount() > 2 && path.subpath(1, 3).equals(Path.of("src", "test"));
  }
}
