package io.kvorum.bench.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.bench.system.Libraries;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** This build beside itself, in real processes. Nothing is said of how fast it is. */
class GuardIT {
  @TempDir Path directory;

  @Test
  void aBuildIsComparedWithACopyOfItself() throws IOException {
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
            ("guard --workload put --clients 8 --seconds 1 --settle-seconds 0 --rounds 1"
                    + " --keys 50 --nodes 1 --least 0.001 --base "
                    + copy()
                    + " --output "
                    + results
                    + " --dir "
                    + data)
                .split(" "));

    String text = out.toString(UTF_8);
    assertThat(text)
        .as(err.toString(UTF_8))
        .endsWith("guard: OK\n")
        .containsPattern("guard workload=put clients=8 ops=\\S+ p50=\\S+ p99=\\S+ cpu=\\S+\n");
    assertThat(code).isZero();
    assertThat(results.resolve("bench.json")).exists();
    assertThat(data).doesNotExist();
  }

  /** A checkout with nothing in it but the jars that we run with. */
  private Path copy() throws IOException {
    Path root = directory.resolve("base");
    Path folder = Files.createDirectories(root.resolve("kv-cli/target/dist/lib"));
    for (String entry : Libraries.own().split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry);
      if (entry.endsWith(".jar") && Files.exists(jar)) {
        Files.copy(jar, folder.resolve(jar.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return root;
  }
}
