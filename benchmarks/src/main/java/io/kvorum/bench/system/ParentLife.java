package io.kvorum.bench.system;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Ties the life of this process to that of the one that started it: however that one dies, the
 * kernel closes the pipe that is our standard input.
 */
public final class ParentLife {
  private ParentLife() {}

  /** Ends this process at once when its standard input ends. */
  public static void tie() {
    Thread thread = new Thread(ParentLife::await, "parent");
    thread.setDaemon(true);
    thread.start();
  }

  private static void await() {
    try {
      // Nobody says anything here: what counts is the end.
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException broken) {
      System.err.println("standard input: " + broken.getMessage());
    }
    Runtime.getRuntime().halt(1);
  }
}
