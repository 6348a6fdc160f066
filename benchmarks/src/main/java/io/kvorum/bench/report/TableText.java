package io.kvorum.bench.report;

import io.kvorum.bench.load.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The medians for a reader: a table for each workload. */
public final class TableText {
  private static final List<String> HEAD =
      List.of(
          "clients",
          "system",
          "ops/s",
          "slowest",
          "fastest",
          "p50 ms",
          "p99 ms",
          "p99.9 ms",
          "CPU µs/op",
          "client µs",
          "B/op",
          "RSS MiB");

  private TableText() {}

  /** Its lines. */
  public static List<String> lines(List<Summary> summaries) {
    List<String> lines = new ArrayList<>();
    for (Workload workload : Workload.values()) {
      List<Summary> own =
          summaries.stream().filter(summary -> summary.workload() == workload).toList();
      if (!own.isEmpty()) {
        lines.add("");
        lines.add(workload.text());
        lines.addAll(table(own));
      }
    }
    return lines;
  }

  private static List<String> table(List<Summary> summaries) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    summaries.forEach(summary -> rows.add(row(summary)));
    return aligned(rows);
  }

  /** Rows of as many columns each, to the right in their columns; a line for each row. */
  public static List<String> aligned(List<List<String>> rows) {
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        int at = column;
        int width = rows.stream().mapToInt(other -> other.get(at).length()).max().orElse(0);
        line.append("  ").append(" ".repeat(width - row.get(at).length())).append(row.get(at));
      }
      lines.add(line.toString());
    }
    return lines;
  }

  private static List<String> row(Summary summary) {
    return List.of(
        Integer.toString(summary.clients()),
        summary.system(),
        whole(summary.operationsPerSecond()),
        whole(summary.slowestPerSecond()),
        whole(summary.fastestPerSecond()),
        millis(summary.p50Nanos()),
        millis(summary.p99Nanos()),
        millis(summary.p999Nanos()),
        String.format(Locale.ROOT, "%.1f", summary.cpuMicros()),
        String.format(Locale.ROOT, "%.1f", summary.clientCpuMicros()),
        whole(summary.writtenBytes()),
        Long.toString(summary.peakRssBytes() >> 20));
  }

  private static String whole(double figure) {
    return String.format(Locale.ROOT, "%,.0f", figure);
  }

  private static String millis(double nanos) {
    return String.format(Locale.ROOT, "%.2f", nanos / 1e6);
  }
}
