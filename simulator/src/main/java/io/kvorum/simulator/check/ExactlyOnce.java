package io.kvorum.simulator.check;

import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Every write of a token that was acknowledged took effect once, at the place that its writer was
 * told, each time that it was told; one that certainly failed never did; any other at most once.
 * And what one client sends in its session takes effect in that order (FAULTS F102, F110).
 */
public final class ExactlyOnce implements Checker {
  /** One write. */
  private static final class Write {
    /** Whose writes take effect in order; 0: no order was promised. */
    private final long orderedBy;

    private long place;
    private boolean isFailed;

    Write(long orderedBy) {
      this.orderedBy = orderedBy;
    }
  }

  /** What is known of one log. */
  private static final class Log {
    private final Map<Long, Write> writes = new HashMap<>();
    private final Map<Long, Long> tokenAt = new HashMap<>();
    private final List<Long> found = new ArrayList<>();
  }

  private final Map<Integer, Log> logs = new HashMap<>();

  @Override
  public String name() {
    return "ExactlyOnce";
  }

  @Override
  public void on(SimEvent event) {
    if (!(event instanceof SimEvent.OnceTold told)) {
      return;
    }
    Log log = logs.computeIfAbsent(told.log(), number -> new Log());
    switch (told.news()) {
      case BEGUN -> log.writes.put(told.token(), new Write(told.place()));
      case FAILED -> write(log, told).isFailed = true;
      case ANSWERED -> answered(log, told);
      case FOUND -> log.found.add(told.token());
      case COUNTED -> counted(log, told);
    }
  }

  private Write write(Log log, SimEvent.OnceTold told) {
    Write write = log.writes.get(told.token());
    if (write == null) {
      throw new Violation(name(), "nobody has written this: " + told);
    }
    return write;
  }

  private void answered(Log log, SimEvent.OnceTold told) {
    Write write = write(log, told);
    if (write.place != 0 && write.place != told.place()) {
      throw new Violation(
          name(),
          "write %d was the %dth of its log, and is now said to be the %dth"
              .formatted(told.token(), write.place, told.place()));
    }
    write.place = told.place();
    Long other = log.tokenAt.put(told.place(), told.token());
    if (other != null && other != told.token()) {
      throw new Violation(
          name(),
          "writes %d and %d are both said to be the %dth"
              .formatted(other, told.token(), told.place()));
    }
  }

  /** All that was found is known. */
  private void counted(Log log, SimEvent.OnceTold told) {
    if (told.place() != log.found.size()) {
      throw new Violation(
          name(), "%d writes were counted, %d found".formatted(told.place(), log.found.size()));
    }
    Map<Long, Integer> places = new HashMap<>();
    Map<Long, Long> newest = new HashMap<>();
    for (int i = 0; i < log.found.size(); i++) {
      long token = log.found.get(i);
      Write write = log.writes.get(token);
      Integer before = places.put(token, i + 1);
      if (write == null || before != null || write.isFailed) {
        throw new Violation(
            name(),
            "write %d took effect at place %d %s"
                .formatted(
                    token,
                    i + 1,
                    before != null ? "and before, at " + before : "although it has failed"));
      }
      Long earlier = write.orderedBy == 0 ? null : newest.put(write.orderedBy, token);
      if (earlier != null && earlier > token) {
        throw new Violation(
            name(),
            "client %d sent write %d before %d, which took effect first"
                .formatted(write.orderedBy - 1, token, earlier));
      }
    }
    log.tokenAt.forEach(
        (place, token) -> {
          if (!Integer.valueOf(place.intValue()).equals(places.get(token))) {
            throw new Violation(
                name(),
                "write %d was acknowledged as the %dth, and is found at %s"
                    .formatted(token, place, places.get(token)));
          }
        });
  }
}
