package io.kvorum.server.store.rocks;

import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Which snapshots are open, by number, in the order in which they were made. Thread-safe. */
final class Pins {
  private final AtomicLong last = new AtomicLong();
  private final NavigableSet<Long> open = new ConcurrentSkipListSet<>();

  /** Opens one, before it sees anything. */
  synchronized long open() {
    long number = last.incrementAndGet();
    open.add(number);
    return number;
  }

  void close(long number) {
    open.remove(number);
  }

  /** Whether those are closed that are open now. */
  synchronized BooleanSupplier released() {
    long newest = last.get();
    return () -> open.headSet(newest, true).isEmpty();
  }
}
