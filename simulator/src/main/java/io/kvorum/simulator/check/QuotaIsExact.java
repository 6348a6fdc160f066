package io.kvorum.simulator.check;

import io.kvorum.simulator.trace.SimEvent;

/**
 * What the store has counted is what all its rows come to; nothing is refused for lack of room that
 * has room, and nothing grows beyond the quota (FAULTS F166).
 */
public final class QuotaIsExact implements Checker {
  @Override
  public String name() {
    return "QuotaIsExact";
  }

  @Override
  public void on(SimEvent event) {
    if (!(event instanceof SimEvent.SpaceTold told)) {
      return;
    }
    boolean isRight =
        switch (told.news()) {
          case USED, RECLAIMABLE -> told.bytes() == told.otherBytes();
          case ACCEPTED -> told.bytes() <= told.otherBytes();
          case REFUSED -> told.bytes() > told.otherBytes();
        };
    if (!isRight) {
      throw new Violation(
          name(),
          "on %s: %s with %d bytes, against %d"
              .formatted(told.node(), told.news(), told.bytes(), told.otherBytes()));
    }
  }
}
