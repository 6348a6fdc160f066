package io.kvorum.bench.report;

import java.util.List;
import java.util.Map;

/**
 * A benchmark that has run.
 *
 * @param machine what it ran on
 * @param systems what was measured: name, and a description in names and values
 * @param plan what was asked for, in names and values
 * @param results every measurement
 * @param wrong what was found wrong; empty: nothing
 */
public record Report(
    Map<String, String> machine,
    Map<String, Map<String, String>> systems,
    Map<String, Object> plan,
    List<Result> results,
    List<String> wrong) {
  /** Copies lists; maps keep their order and are not copied. */
  public Report {
    results = List.copyOf(results);
    wrong = List.copyOf(wrong);
  }

  /** The last line of the command. */
  public String verdict() {
    return wrong.isEmpty()
        ? "bench: OK"
        : "bench: FAILED " + String.join("; ", wrong).replace('\n', ' ');
  }
}
