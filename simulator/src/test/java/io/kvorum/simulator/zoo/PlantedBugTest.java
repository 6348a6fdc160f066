package io.kvorum.simulator.zoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PlantedBugTest {
  private static final String TEXT =
      """
      Something is wrong.
      faults: F001 F002
      file: a/A.java
      find:
        one
        two
      replace:
        three
      end
      file: a/B.java
      find:
        four
      replace:
      end
      """;

  @Test
  void aFileSaysWhatIsWrongAndWhatToEdit() {
    PlantedBug bug = PlantedBug.parse("wrong", TEXT);
    assertThat(bug.title()).isEqualTo("Something is wrong.");
    assertThat(bug.faults()).isEqualTo("F001 F002");
    assertThat(bug.edits())
        .containsExactly(
            new PlantedBug.Edit("a/A.java", "  one\n  two\n", "  three\n"),
            new PlantedBug.Edit("a/B.java", "  four\n", ""));
  }

  @Test
  void anEditReplacesItsLinesAndNothingElse() {
    PlantedBug.Edit edit = new PlantedBug.Edit("A.java", "  one\n", "  three\n");
    assertThat(edit.applyTo("zero\n  one\ntwo\n")).isEqualTo("zero\n  three\ntwo\n");
  }

  @Test
  void anEditThatDoesNotFitExactlyOnceIsRefused() {
    PlantedBug.Edit edit = new PlantedBug.Edit("A.java", "  one\n", "  three\n");
    assertThatThrownBy(() -> edit.applyTo("zero\n"))
        .hasMessage("A.java no longer contains:\n  one\n");
    assertThatThrownBy(() -> edit.applyTo("  one\n  one\n"))
        .hasMessage("A.java contains more than once:\n  one\n");
  }

  @Test
  void aMalformedFileIsRefusedWithItsLine() {
    assertThatThrownBy(() -> PlantedBug.parse("wrong", TEXT.replace("find:", "fnd:")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("wrong.bug, line 4: \"find:\" expected, found \"fnd:\"");
    assertThatThrownBy(() -> PlantedBug.parse("wrong", TEXT.replace("\nend\n", "\n")))
        .hasMessageContaining("\"end\" expected, found \"the end\"");
    assertThatThrownBy(() -> PlantedBug.parse("wrong", "Something.\nfaults:\n"))
        .hasMessageContaining("edits something");
  }
}
