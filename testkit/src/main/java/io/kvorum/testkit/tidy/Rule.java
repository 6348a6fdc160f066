package io.kvorum.testkit.tidy;

import java.nio.file.Path;

/**
 * A rule with its name, as it appears in failures.
 *
 * @param name lower case, hyphens
 * @param check reads the tree and reports each place that breaks the rule
 */
record Rule(String name, Check check) {

  /** The rule itself. */
  @FunctionalInterface
  interface Check {
    void over(SourceTree tree, Report report);
  }

  /** Where a rule reports what it finds. */
  @FunctionalInterface
  interface Report {
    void add(Path file, int line, String what);

    /** Reports a place in a Java file. */
    default void add(JavaFile file, int line, String what) {
      add(file.path(), line, what);
    }
  }
}
