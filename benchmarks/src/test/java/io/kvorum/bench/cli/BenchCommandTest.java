package io.kvorum.bench.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be said wrongly, before anything runs. */
class BenchCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                        | bench wants a command",
        "clutser                                 | clutser",
        "cluster --peer consul                   | no such peer: consul; there are etcd, zookeeper",
        "cluster --peer ratis                    | the libraries of ratis are not in",
        "cluster --workload ycsb-a               | the YCSB mixes are not built yet: ycsb-a",
        "cluster --workload scan                 | no such workload: scan; there are put, get",
        "cluster --workload put,put              | --workload wants different values",
        "cluster --clients 0                     | --clients is from 1 to 10000, not 0",
        "cluster --clients x                     | --clients",
        "cluster --clients 11 --keys 10          | --keys is at least the most --clients",
        "cluster --value-bytes 3                 | --value-bytes is from 12",
        "cluster --nodes 8                       | --nodes is from 1 to 7, not 8",
        "cluster --seconds 0                     | --seconds is from 1",
        "cluster --rounds 0                      | --rounds is from 1",
        "cluster --warm-up-seconds -1            | --warm-up-seconds is from 0",
        "cluster --settle-seconds -1             | --settle-seconds is from 0",
        "limits --seconds 0                      | --seconds is from 1 to 3600, not 0",
        "limits --seconds x                      | --seconds",
        "limits --clients 1                      | --clients",
        "guard                                   | Missing required option: '--base=DIR'",
        "guard --base /none                      | --base wants a checkout of Kvorum; no folder",
        "guard --base /                          | --base wants a checkout that is built",
        "guard --base / --least 0                | --least is above 0 and at most 1, not 0.0",
        "guard --base / --least 1.1              | --least is above 0 and at most 1, not 1.1",
        "guard --base / --least x                | --least",
        "guard --base / --workload scan          | no such workload: scan; there are put, get",
        "guard --base / --clients 0              | --clients is from 1 to 10000, not 0",
        "guard --base / --rounds 0               | --rounds is from 1"
      })
  void aWrongCommandIsRefusedWithItsReason(String command, String reason) {
    int code = run(command == null ? new String[0] : command.split(" "));

    assertThat(code).isEqualTo(2);
    assertThat(err.toString(UTF_8)).startsWith("kvorum: ").contains(reason);
    assertThat(out.toString(UTF_8)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cluster", "limits"})
  void aDirectoryThatHoldsSomethingIsNotTaken(String command) throws Exception {
    Files.createFile(directory.resolve("precious"));

    assertThat(run(command, "--dir", directory.toString())).isEqualTo(2);
    assertThat(err.toString(UTF_8)).contains("--dir wants an empty directory");
    assertThat(directory.resolve("precious")).exists();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cluster --dir", "limits --dir", "limits --output"})
  void aFileIsNoDirectory(String command) throws Exception {
    Path file = Files.createFile(directory.resolve("precious"));

    assertThat(run((command + " " + file).split(" "))).isEqualTo(2);
    assertThat(err.toString(UTF_8)).contains("directory, not the file " + file);
    assertThat(file).exists();
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(run("cluster", "--help")).isZero();
    assertThat(out.toString(UTF_8))
        .contains("--peer", "--workload", "--clients", "--value-bytes", "--nodes", "--seconds")
        .contains("--rounds", "bench: OK");

    assertThat(run("guard", "--help")).isZero();
    assertThat(out.toString(UTF_8)).contains("--base", "--least", "guard: OK");
  }

  @Test
  void helpOfLimitsNamesEveryOption() {
    assertThat(run("limits", "--help")).isZero();
    assertThat(out.toString(UTF_8)).contains("--dir", "--seconds", "--output", "limits: OK");
  }

  private int run(String... arguments) {
    PrintStream outStream = new PrintStream(out, true, UTF_8);
    PrintStream errStream = new PrintStream(err, true, UTF_8);
    Path proc = Path.of("/proc");
    return BenchCommand.run(
        new Tools(outStream, errStream, directory.resolve("peers"), proc), arguments);
  }
}
