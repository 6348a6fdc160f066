package io.kvorum.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** What is told in the end, from results that are known. */
class ReportTest {
  private final Report report =
      new Report(
          Map.of("kernel", "6"),
          Map.of("etcd", Map.of("version", "3")),
          Map.of("seconds", 1),
          Fixed.results(),
          List.of());

  @Test
  void theTableHasAColumnForEachFigure() {
    assertThat(TableText.lines(Summary.of(Fixed.results())))
        .containsExactly(
            "",
            "put",
            "  clients  system   ops/s  slowest  fastest  p50 ms  p99 ms  p99.9 ms  CPU µs/op"
                + "  client µs  B/op  RSS MiB",
            "       16  kvorum  20,000   10,000   30,000    2.00    4.00      6.00       10.0"
                + "        5.0   100      100",
            "       16    etcd   2,000    1,000    3,000    8.00   16.00     24.00       10.0"
                + "        5.0   100      100");
  }

  @Test
  void theJsonHoldsEveryRoundAndTheMedians() throws Exception {
    JsonNode json = new ObjectMapper().readTree(JsonReport.text(report, "kvorum"));

    assertThat(json.at("/machine/kernel").asText()).isEqualTo("6");
    assertThat(json.at("/systems/etcd/version").asText()).isEqualTo("3");
    assertThat(json.get("rounds")).hasSize(6);
    assertThat(json.at("/rounds/5/operations").asLong()).isEqualTo(3_000);
    assertThat(json.at("/medians/0/operations_per_second").asDouble()).isEqualTo(20_000);
    assertThat(json.at("/ratios/0/peer").asText()).isEqualTo("etcd");
    assertThat(json.at("/ratios/0/operations_per_second").asDouble()).isEqualTo(10);
  }

  @Test
  void thePlotIsADocumentWithALineForEachSystemInEachPanel() throws Exception {
    String svg = SvgPlot.text(Summary.of(Fixed.results()));

    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)));
    assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(document.getElementsByTagName("polyline").getLength()).isEqualTo(2 * 3);
    assertThat(svg).contains(">kvorum<", ">etcd<", "put: operations per second");
  }

  @Test
  void aPlotOfNothingIsADocumentToo() {
    assertThat(SvgPlot.text(List.of())).startsWith("<svg").endsWith("</svg>\n");
  }

  @Test
  void theLastLineSaysWhatIsWrong() {
    assertThat(report.verdict()).isEqualTo("bench: OK");
    assertThat(new Report(Map.of(), Map.of(), Map.of(), List.of(), List.of("a\nb", "c")).verdict())
        .isEqualTo("bench: FAILED a b; c");
  }

  @Test
  void theMachineIsDescribed(@TempDir Path proc) throws Exception {
    Files.writeString(proc.resolve("cpuinfo"), "processor\t: 0\nmodel name\t: A CPU\n");
    Files.writeString(proc.resolve("meminfo"), "MemTotal:       2048 kB\nMemFree: 1 kB\n");

    assertThat(Machine.describe(proc, proc))
        .containsEntry("processor", "A CPU")
        .containsEntry("memory_mib", "2")
        .containsKeys("kernel", "file_system", "jdk");
  }
}
