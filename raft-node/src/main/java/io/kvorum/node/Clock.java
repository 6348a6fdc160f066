package io.kvorum.node;

/** The only source of time. */
public interface Clock {
  /** Monotonic; only differences mean something. */
  long nanoTime();

  /** Of the wall, milliseconds since the epoch; may jump. */
  long wallTimeMillis();
}
