package io.kvorum.testkit.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A small source tree in which a test plants what a rule should find. */
final class Plant {
  private static final String MAIN = "core/src/main/java/p/";
  private static final String TEST = "core/src/test/java/p/";

  private final Path root;

  Plant(Path root) {
    this.root = root;
  }

  Plant file(String path, String text) {
    try {
      Path file = root.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A main class of that name in module {@code core}, with these members. */
  Plant main(String name, String members) {
    return file(MAIN + name + ".java", type(name, members));
  }

  /** As {@link #main}, in another module. */
  Plant mainOf(String module, String name, String members) {
    return file(module + "/src/main/java/p/" + name + ".java", type(name, members));
  }

  /** A test class of that name in module {@code core}, with these members. */
  Plant test(String name, String members) {
    return file(TEST + name + ".java", type(name, members));
  }

  /** Where and what that rule finds, without its own name: {@code path:line what}. */
  List<String> find(String rule) {
    return Tidy.check(Tidy.rule(rule), SourceTree.read(root)).stream()
        .map(found -> found.file() + ":" + found.line() + " " + found.what())
        .toList();
  }

  private static String type(String name, String members) {
    return "package p;\n\n/** It. */\nclass " + name + " {\n" + members + "\n}\n";
  }
}
