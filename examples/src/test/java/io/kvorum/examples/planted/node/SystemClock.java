package io.kvorum.examples.planted.node;

/** A near miss: the one place that may. */
public class SystemClock {
  long nanos() {
    return System.nanoTime();
  }
}
