package io.kvorum.bench.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shortest run there is, of real processes. Nothing is said of how fast they are. */
class KvorumBenchIT {
  @TempDir Path directory;

  @Test
  void kvorumAloneIsMeasuredAndChecked() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Tools tools =
        new Tools(
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            directory,
            Path.of("/proc"));
    Path results = directory.resolve("results");
    Path data = directory.resolve("data");

    int code =
        BenchCommand.run(
            tools,
            ("cluster --workload mixed --clients 8 --keys 50 --seconds 1 --warm-up-seconds 0"
                    + " --settle-seconds 0 --rounds 1 --output "
                    + results
                    + " --dir "
                    + data)
                .split(" "));

    String text = out.toString(UTF_8);
    assertThat(text).as(err.toString(UTF_8)).endsWith("bench: OK\n").contains("p99.9 ms");
    assertThat(code).isZero();
    assertThat(results.resolve("bench.json")).exists();
    assertThat(results.resolve("bench.svg")).exists();
    assertThat(data).doesNotExist();
  }
}
