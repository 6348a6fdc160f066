package io.kvorum.server.store.rocks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.AbstractNativeReference;

/**
 * Native objects that live and end together; ended in the reverse order of their making. RocksDB
 * has no finalizers: what is not ended here is lost memory (FAULTS F158). Used by one thread at a
 * time.
 */
final class Handles implements AutoCloseable {
  private static final AtomicLong OPEN = new AtomicLong();

  private final Deque<AbstractNativeReference> handles = new ArrayDeque<>();

  /** Native objects alive in this process. */
  static long open() {
    return OPEN.get();
  }

  <T extends AbstractNativeReference> T add(T handle) {
    handles.push(handle);
    OPEN.incrementAndGet();
    return handle;
  }

  @Override
  public void close() {
    while (!handles.isEmpty()) {
      handles.pop().close();
      OPEN.decrementAndGet();
    }
  }
}
