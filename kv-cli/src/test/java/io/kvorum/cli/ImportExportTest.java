package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store leaves by export and comes back by import. */
class ImportExportTest {
  @TempDir private Path directory;

  private final CommandLineHarness from = new CommandLineHarness();
  private final CommandLineHarness to = new CommandLineHarness();

  @ParameterizedTest
  @ValueSource(strings = {"jsonl", "csv", "properties"})
  void whatIsExportedIsImportedTheSame(String format) {
    fill();
    Path file = directory.resolve("dump." + format);
    assertThat(from.run("export", "-O", file.toString())).isZero();
    assertThat(from.out()).isEqualTo("exported 34 as of revision 34\n");
    assertThat(to.run("import", file.toString())).isZero();
    assertThat(to.out()).matches("stored 34 in \\d+ ms\n");
    assertThat(to.client.content()).isEqualTo(from.client.content()).hasSize(34);
    assertThat(directory).isDirectoryNotContaining("glob:**.part");
  }

  @Test
  void aPipeDoesTheSameAsAFile() {
    fill();
    from.run("export", "--format", "csv");
    to.withInput(from.outBytes());
    assertThat(to.run("import", "-", "--format", "csv", "-o", "json")).isZero();
    assertThat(to.out()).startsWith("{\"stored\":34,\"repeated\":0,\"millis\":");
    assertThat(to.client.content()).isEqualTo(from.client.content());
  }

  @Test
  void rangeInJsonIsImportableToo() {
    fill();
    from.run("range", "-o", "json");
    assertThat(to.withInput(from.outBytes()).run("import", "-", "--format", "jsonl")).isZero();
    assertThat(to.client.content()).isEqualTo(from.client.content());
  }

  @Test
  void exportAtARevisionIsThePast() {
    fill();
    from.run("del", "--prefix", "");
    assertThat(from.run("export", "k", "--rev", "34")).isZero();
    assertThat(from.out().lines()).hasSize(30);
    assertThat(from.run("export")).isZero();
    assertThat(from.out()).isEmpty();
  }

  @Test
  void aMalformedLineIsNamedAndWhatCameBeforeCounted() throws IOException {
    Path file = directory.resolve("x.jsonl");
    Files.writeString(file, "{\"key\":\"a\",\"value\":\"1\"}\nnonsense\n", UTF_8);
    assertThat(to.run("import", file.toString())).isEqualTo(ExitCode.LOCAL);
    assertThat(to.out()).startsWith("stored 1 in ");
    assertThat(to.err()).contains("stopped after 1 stored").contains("line 2: ").hasLineCount(1);
    assertThat(to.client.content()).containsExactly("a=1");
  }

  @Test
  void whatTheClusterDoesNotTakeStopsTheImportWithItsExitCode() throws IOException {
    Path file = directory.resolve("x.properties");
    Files.writeString(file, "a=1\nb=2\n", UTF_8);
    to.client.failPuts(false, key -> Optional.of(new KvException.OutcomeUnknown("cut off")));
    assertThat(to.run("import", file.toString())).isEqualTo(ExitCode.OUTCOME_UNKNOWN);
    to.client.failPuts(false, key -> Optional.of(new KvException.Unavailable("no leader")));
    assertThat(to.run("import", file.toString())).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(to.err()).contains("stopped after 0 stored");
  }

  /** What is true of the put that failed first is not true of all that were under way. */
  @Test
  void anImportThatFailsInTheMiddleSaysWhatBecameOfAllAndNotOfOne() throws IOException {
    Path file = directory.resolve("x.properties");
    Files.writeString(file, "a=1\nb=2\nc=3\n", UTF_8);
    Bytes failing = Bytes.utf8("b");
    KvException down = new KvException.Unavailable("no leader");
    to.client.failPuts(false, key -> key.equals(failing) ? Optional.of(down) : Optional.empty());
    assertThat(to.run("import", file.toString())).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(to.err())
        .contains("stopped after 1 stored: unavailable: no leader; so many are certainly")
        .contains("stored, each of the other pairs may be or not. To import the same again is safe")
        .doesNotContain("certainly not executed")
        .hasLineCount(1);
    to.client.failPuts(false, key -> Optional.empty());
    assertThat(to.run("import", file.toString())).isZero();
    assertThat(to.client.content()).containsExactly("a=1", "b=2", "c=3");
  }

  @Test
  void aPersonSeesAProgressBarAndAFileDoesNot() throws IOException {
    Path file = directory.resolve("x.properties");
    Files.writeString(file, "a=1\nb=2\n", UTF_8);
    assertThat(to.run("import", file.toString(), "--prefix", "p/")).isZero();
    assertThat(to.err()).isEmpty();
    assertThat(to.onTerminal().run("import", file.toString())).isZero();
    assertThat(to.err()).contains("[##############################] 100 %").contains("2 stored");
    assertThat(to.client.content()).containsExactly("a=1", "b=2", "p/a=1", "p/b=2");
  }

  @Test
  void anExportThatFailsLeavesNoFileOfThatName() {
    fill();
    Path file = directory.resolve("x.csv");
    assertThat(from.run("export", "--rev", "99", "-O", file.toString()))
        .isEqualTo(ExitCode.REJECTED);
    assertThat(file).doesNotExist();
  }

  private void fill() {
    for (int i = 0; i < 30; i++) {
      put(Bytes.utf8("k" + (10 + i)), Bytes.utf8("v" + i));
    }
    put(Bytes.utf8("ä\n\",= "), Bytes.utf8("\"zwei\nZeilen\", \\ und \t"));
    put(Bytes.copyOf(new byte[] {0, (byte) 0xff}), Bytes.copyOf(new byte[] {(byte) 0x80, '\n'}));
    put(Bytes.utf8("leer"), Bytes.EMPTY);
    put(Bytes.utf8("😀"), Bytes.utf8(" 😀 "));
  }

  private void put(Bytes key, Bytes value) {
    from.client.put(key, value).join();
  }
}
