package io.kvorum.examples.planted.cli;

import org.junit.jupiter.api.Assertions;

/** Planted: production that leans on a test library. */
class CommandThatTests {
  void run() {
    Assertions.assertTrue(true);
  }
}
