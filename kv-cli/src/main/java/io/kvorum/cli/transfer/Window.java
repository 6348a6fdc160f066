package io.kvorum.cli.transfer;

/** How much may be under way at once, in operations and in bytes. Thread-safe. */
public final class Window {
  private final int operationsMax;
  private final long bytesMax;
  private int operations;
  private long bytes;

  public Window(int operationsMax, long bytesMax) {
    this.operationsMax = operationsMax;
    this.bytesMax = bytesMax;
  }

  /** Waits for room. One operation larger than the window waits until it is alone, and enters. */
  public synchronized void enter(long size) throws InterruptedException {
    while (operations > 0 && (operations == operationsMax || bytes + size > bytesMax)) {
      wait();
    }
    operations++;
    bytes += size;
  }

  /** Called once for each {@link #enter}, with the same size. */
  public synchronized void leave(long size) {
    operations--;
    bytes -= size;
    notifyAll();
  }

  /** Waits until nothing is under way. */
  public synchronized void awaitEmpty() throws InterruptedException {
    while (operations > 0) {
      wait();
    }
  }
}
