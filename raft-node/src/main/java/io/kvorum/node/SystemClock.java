package io.kvorum.node;

/** The clock of the machine. */
public final class SystemClock implements Clock {
  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long wallTimeMillis() {
    return System.currentTimeMillis();
  }
}
