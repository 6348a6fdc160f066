package io.kvorum.simulator.check;

import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * Whoever reads the state at a revision reads the same as all others, whenever that is, until it is
 * refused; and it is refused only when somebody has asked for a compaction behind it.
 */
public final class HistoryIsKept implements Checker {
  private final Map<Long, Long> states = new HashMap<>();
  private long compacted;

  @Override
  public String name() {
    return "HistoryIsKept";
  }

  @Override
  public void on(SimEvent event) {
    if (!(event instanceof SimEvent.HistoryTold told)) {
      return;
    }
    switch (told.news()) {
      case COMPACTING -> compacted = Math.max(compacted, told.revision());
      case READ -> {
        Long known = states.putIfAbsent(told.revision(), told.detail());
        if (known != null && known != told.detail()) {
          throw new Violation(
              name(),
              "the state at revision %d was read before, and differs now"
                  .formatted(told.revision()));
        }
      }
      case REFUSED -> {
        if (told.revision() >= told.detail() || told.detail() > compacted) {
          throw new Violation(
              name(),
              "revision %d is refused, since the oldest is %d; nobody asked for more than %d"
                  .formatted(told.revision(), told.detail(), compacted));
        }
      }
    }
  }
}
