package io.kvorum.testkit.tidy;

import java.nio.file.Path;

/**
 * One place that breaks a rule.
 *
 * @param file relative to the root of the tree
 * @param line from 1
 * @param rule its name
 * @param what is wrong here, for the person who mends it
 */
public record Violation(Path file, int line, String rule, String what) {
  @Override
  public String toString() {
    return file + ":" + line + " " + rule + ": " + what;
  }
}
