package io.kvorum.simulator.world;

import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.trace.SimEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where everything that happens is told. Keeps the first violation instead of throwing it: it may
 * be found deep inside a node or a future, which would take it for a failure of their own.
 */
final class Journal {
  private final VirtualTime time;
  private final Consumer<SimEvent> sink;
  private @Nullable Violation violation;

  Journal(VirtualTime time, Consumer<SimEvent> sink) {
    this.time = time;
    this.sink = sink;
  }

  /** For the events: now. */
  long now() {
    return time.nowNanos();
  }

  /** Tells of an event, unless the run is over. */
  void tell(SimEvent event) {
    if (violation != null) {
      return;
    }
    try {
      sink.accept(event);
    } catch (Violation found) {
      violation = found;
    }
  }

  /** A promise is broken that the world itself watches. */
  void violated(String promise, String what) {
    if (violation == null) {
      violation = new Violation(promise, what);
    }
  }

  @Nullable Violation violation() {
    return violation;
  }
}
