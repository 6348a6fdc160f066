package io.kvorum.simulator.check;

import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;

/** At equal applied index the whole states of any two nodes, or of two lives of one, are equal. */
public final class EqualStateHash implements Checker {
  private final Map<Long, SimEvent.StateHashed> first = new HashMap<>();

  @Override
  public String name() {
    return "EqualStateHash";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.StateHashed hashed) {
      SimEvent.StateHashed known = first.putIfAbsent(hashed.index(), hashed);
      if (known != null && known.hash() != hashed.hash()) {
        throw new Violation(
            name(),
            "the states at index %d differ: %016x on %s, %016x on %s"
                .formatted(
                    hashed.index(), known.hash(), known.node(), hashed.hash(), hashed.node()));
      }
    }
  }
}
