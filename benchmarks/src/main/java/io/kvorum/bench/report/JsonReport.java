package io.kvorum.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvorum.bench.load.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Everything that was measured, for programs. */
public final class JsonReport {
  private JsonReport() {}

  /** One object, on many lines. */
  public static String text(Report report, String own) {
    List<Summary> summaries = Summary.of(report.results());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("machine", report.machine());
    all.put("systems", report.systems());
    all.put("plan", report.plan());
    all.put("rounds", report.results().stream().map(JsonReport::round).toList());
    all.put("medians", summaries.stream().map(JsonReport::median).toList());
    all.put("ratios", Ratio.of(summaries, own).stream().map(JsonReport::ratio).toList());
    all.put("wrong", report.wrong());
    return text(all);
  }

  /** An object of texts, numbers, lists and maps, on many lines. */
  public static String text(Map<String, ?> all) {
    try {
      return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all) + "\n";
    } catch (JsonProcessingException impossible) {
      throw new AssertionError("texts and numbers have a JSON form", impossible);
    }
  }

  private static Map<String, Object> round(Result result) {
    Outcome outcome = result.outcome();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("round", result.round());
    fields.put("system", result.system());
    fields.put("workload", result.workload().text());
    fields.put("clients", result.clients());
    fields.put("operations", outcome.operations());
    fields.put("failures", outcome.failures());
    fields.put("stale_reads", outcome.staleReads());
    fields.put("nanos", outcome.nanos());
    fields.put("p50_nanos", outcome.latencies().p50Nanos());
    fields.put("p99_nanos", outcome.latencies().p99Nanos());
    fields.put("p999_nanos", outcome.latencies().p999Nanos());
    fields.put("max_nanos", outcome.latencies().maxNanos());
    fields.put("servers_cpu_micros", outcome.servers().cpuMicros());
    fields.put("servers_written_bytes", outcome.servers().writtenBytes());
    fields.put("servers_peak_rss_bytes", outcome.servers().peakRssBytes());
    fields.put("device_written_bytes", outcome.deviceWrittenBytes());
    fields.put("client_cpu_micros", outcome.clientCpuMicros());
    return fields;
  }

  private static Map<String, Object> median(Summary summary) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("system", summary.system());
    fields.put("workload", summary.workload().text());
    fields.put("clients", summary.clients());
    fields.put("rounds", summary.rounds());
    fields.put("operations_per_second", summary.operationsPerSecond());
    fields.put("slowest_per_second", summary.slowestPerSecond());
    fields.put("fastest_per_second", summary.fastestPerSecond());
    fields.put("p50_nanos", summary.p50Nanos());
    fields.put("p99_nanos", summary.p99Nanos());
    fields.put("p999_nanos", summary.p999Nanos());
    fields.put("servers_cpu_micros_per_operation", summary.cpuMicros());
    fields.put("client_cpu_micros_per_operation", summary.clientCpuMicros());
    fields.put("device_written_bytes_per_operation", summary.writtenBytes());
    fields.put("peak_rss_bytes", summary.peakRssBytes());
    return fields;
  }

  private static Map<String, Object> ratio(Ratio ratio) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("workload", ratio.workload().text());
    fields.put("clients", ratio.clients());
    fields.put("peer", ratio.peer());
    fields.put("operations_per_second", finite(ratio.operationsPerSecond()));
    fields.put("p50", finite(ratio.p50()));
    fields.put("p99", finite(ratio.p99()));
    fields.put("cpu", finite(ratio.cpu()));
    return fields;
  }

  /** JSON has no other numbers. */
  private static Object finite(double ratio) {
    return Double.isFinite(ratio) ? ratio : "none";
  }
}
