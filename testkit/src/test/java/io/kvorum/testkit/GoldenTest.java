package io.kvorum.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

class GoldenTest {
  @TempDir Path directory;
  Path expected;
  Path produced;
  Golden golden;
  Golden recording;

  @BeforeEach
  void open() {
    expected = directory.resolve("golden");
    produced = directory.resolve("target");
    golden = new Golden(expected, produced, false);
    recording = new Golden(expected, produced, true);
  }

  @Test
  void whatWasRecordedIsAccepted() throws IOException {
    recording.check("a/b.txt", "one\ntwo");
    golden.check("a/b.txt", "one\ntwo\n");

    assertThat(expected.resolve("a/b.txt")).hasContent("one\ntwo\n");
  }

  @Test
  void aDifferenceIsShownByLineAndTheOutputIsKept() throws IOException {
    recording.check("a.txt", "one\ntwo\n");

    assertThatThrownBy(() -> golden.check("a.txt", "one\n2\n"))
        .isInstanceOf(AssertionFailedError.class)
        .hasMessageStartingWith("a.txt differs in line 2\n  recorded: two\n  produced: 2\n")
        .hasMessageContaining("./kvorum golden --update");
    assertThat(produced.resolve("a.txt")).hasContent("one\n2\n");
    assertThat(expected.resolve("a.txt")).hasContent("one\ntwo\n");
  }

  @Test
  void aShorterOutputDiffersAtItsEnd() {
    recording.check("a.txt", "one\ntwo\n");

    assertThatThrownBy(() -> golden.check("a.txt", "one\n"))
        .hasMessageStartingWith("a.txt differs in line 2\n  recorded: two\n  produced: (end)");
  }

  @Test
  void nothingIsRecordedWithoutBeingAsked() {
    assertThatThrownBy(() -> golden.check("new.txt", "one"))
        .isInstanceOf(AssertionFailedError.class)
        .hasMessageStartingWith("new.txt is not recorded.");
    assertThat(expected).doesNotExist();
  }

  @Test
  void aPathOutOfTheDirectoryIsRefused() {
    assertThatThrownBy(() -> recording.check("../a.txt", "one"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(directory.resolve("a.txt")).doesNotExist();
  }

  @Test
  void bytesArePinnedAsHex() {
    byte[] bytes = new byte[18];
    bytes[0] = 'K';
    bytes[16] = (byte) 0xff;
    recording.check("a.hex", bytes);
    golden.check("a.hex", bytes);

    assertThat(expected.resolve("a.hex"))
        .hasContent(
            "00000000  4b 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |K...............|\n"
                + "00000010  ff 00                                            |..|\n");
    bytes[17] = 1;
    assertThatThrownBy(() -> golden.check("a.hex", bytes))
        .hasMessageStartingWith("a.hex differs in line 2");
  }

  @Test
  void aTranscriptIsReplayedBlockByBlock() throws IOException {
    write("t.txt", "# What it shows.\n\n# Loudly.\na\nb\n---\nA\nB\n\nc\n---\nC\n");

    golden.transcript("t.txt", input -> input.toUpperCase(Locale.ROOT));

    assertThatThrownBy(() -> golden.transcript("t.txt", input -> input))
        .hasMessageStartingWith("t.txt differs in line 7\n  recorded: A\n  produced: a");
  }

  @Test
  void aTranscriptIsRecordedFromItsInputs() throws IOException {
    write("t.txt", "# What it shows.\na\n\n\nb\n---\nstale\n");

    recording.transcript("t.txt", input -> input.equals("a") ? "" : "is " + input + "\n\n");

    assertThat(expected.resolve("t.txt")).hasContent("# What it shows.\na\n---\n\nb\n---\nis b\n");
    golden.transcript("t.txt", input -> input.equals("a") ? "" : "is b");
  }

  @Test
  void aTranscriptWithoutInputIsAFailure() throws IOException {
    write("t.txt", "# Nothing.\n");

    assertThatThrownBy(() -> golden.transcript("t.txt", input -> input))
        .hasMessage("t.txt holds no input: it would pass on nothing");
    assertThatThrownBy(() -> recording.transcript("gone.txt", input -> input))
        .hasMessageStartingWith("gone.txt does not exist");
  }

  @Test
  void outputThatWouldNotBeReadBackIsAFailure() throws IOException {
    write("t.txt", "a\n");

    assertThatThrownBy(() -> recording.transcript("t.txt", input -> "one\n\ntwo"))
        .hasMessageStartingWith("t.txt: output with a blank line or a divider");
    assertThat(expected.resolve("t.txt")).hasContent("a\n");
  }

  @Test
  void theFilesOfADirectoryAreListedAndNoneIsAFailure() throws IOException {
    write("raft/b.txt", "b");
    write("raft/a.txt", "a");
    write("raft/c.hex", "c");

    assertThat(golden.names("raft", ".txt")).containsExactly("raft/a.txt", "raft/b.txt");
    assertThatThrownBy(() -> golden.names("raft", ".md")).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> golden.names("gone", ".txt")).isInstanceOf(AssertionError.class);
  }

  @Test
  void filesLieInTheModuleOfTheTest() {
    Golden.of(GoldenTest.class)
        .check(
            "hex.txt",
            Hex.dump(
                "Kvorum keeps its promises.".getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
  }

  private void write(String name, String text) throws IOException {
    Path file = expected.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
