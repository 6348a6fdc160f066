package io.kvorum.simulator.world;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.LogInspection;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The end of a log that is about to be zeroed: from a place among the records of its last segment
 * on, all of it, and with it the marks in the log that would tell.
 */
final class LostTail {
  private static final int HEADER_BYTES = 4096;

  private final SimulatedDisk log;
  private final String segment;
  private final int from;
  private final int to;

  private LostTail(SimulatedDisk log, String segment, int from, int to) {
    this.log = log;
    this.segment = segment;
    this.from = from;
    this.to = to;
  }

  /**
   * Of a machine that has a log.
   *
   * @param disk its data directory
   * @param position from 0, the first record, to 1, the end of the last one
   */
  static LostTail at(SimulatedDisk disk, double position) {
    SimulatedDisk log = disk.child("log");
    List<String> segments = new ArrayList<>(log.names());
    segments.removeIf(name -> !name.endsWith(".log"));
    String last = segments.get(segments.size() - 1);
    byte[] content = log.content(last);
    int end = content.length;
    while (end > HEADER_BYTES && content[end - 1] == 0) {
      end--;
    }
    int from = HEADER_BYTES + (int) (position * (end - HEADER_BYTES));
    return new LostTail(log, last, from, content.length);
  }

  /**
   * Whether a look at the log, and at nothing else, would tell: else the fault would take what no
   * node can miss. Tried on a copy.
   */
  boolean isNoticed() {
    SimulatedDisk copy = SimulatedDisk.create(new SplittableRandom(1));
    log.names().forEach(name -> copy.plant(name, log.content(name)));
    copy.zero(segment, from, to);
    try (LogInspection found = LogInspection.of(copy, 0)) {
      return !found.damages().isEmpty();
    }
  }

  /** Zeroes it, durably. */
  void strike() {
    log.zero(segment, from, to);
  }
}
