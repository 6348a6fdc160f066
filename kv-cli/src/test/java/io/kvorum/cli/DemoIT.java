package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.cli.process.KvorumProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job on real input, with real processes that are really killed (FAULTS F029). */
class DemoIT {
  @Test
  void theQuickDemoEndsWithItsOkLineAndLeavesNoProcess(@TempDir Path directory) throws Exception {
    Path data = directory.resolve("data");
    KvorumProcess.Ended demo =
        KvorumProcess.run(Duration.ofMinutes(3), "demo", "--quick", "--dir", data.toString());
    List<String> lines = demo.out().lines().toList();
    assertThat(lines.get(lines.size() - 1))
        .as("%s%n%s", demo.out(), demo.err())
        .matches(
            "demo: OK records=10000 acknowledged=\\d{5,} lost=0 stale=0 failover_ms=\\d+"
                + " puts_per_s=\\d+");
    assertThat(demo.code()).isZero();
    assertThat(KvorumProcess.serversOn(data)).isEmpty();
  }
}
