package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SizesTest {
  private static final String MAIN = "core/src/main/java/p/A.java";
  private static final String TEST = "core/src/test/java/p/ATest.java";

  @TempDir Path root;
  Plant plant;

  @BeforeEach
  void plant() {
    plant = new Plant(root);
  }

  @Test
  void aMainFileMayHave500LinesAndNoMore() {
    plant.file(MAIN, "package p;\n" + "//\n".repeat(499));
    assertThat(plant.find("file-length")).isEmpty();

    plant.file(MAIN, "package p;\n" + "//\n".repeat(500));
    assertThat(plant.find("file-length")).containsExactly(MAIN + ":500 501 lines, at most 500");
  }

  @Test
  void aTestFileMayHave800LinesAndNoMore() {
    plant.file(TEST, "package p;\n" + "//\n".repeat(799));
    assertThat(plant.find("file-length")).isEmpty();

    plant.file(TEST, "package p;\n" + "//\n".repeat(800));
    assertThat(plant.find("file-length")).containsExactly(TEST + ":800 801 lines, at most 800");
  }

  @Test
  void aLineMayHave100ColumnsAndNoMore() {
    plant.file(MAIN, "package p;\n//" + "ü".repeat(98) + "\n");
    assertThat(plant.find("line-length")).isEmpty();

    plant.file(MAIN, "package p;\n//" + "ü".repeat(99) + "\n");
    assertThat(plant.find("line-length")).containsExactly(MAIN + ":2 101 columns, at most 100");
  }

  @Test
  void onlyWhatCannotBeBrokenMayBeLonger() {
    String word = "x".repeat(100);
    plant.file(MAIN, "package p;\nimport a." + word + ";\n// https://a.b/" + word + "\n");
    assertThat(plant.find("line-length")).isEmpty();

    plant.file(
        MAIN,
        "package p;\n// See more at https://a.b/"
            + word
            + "\nclass A { String s = \""
            + word
            + "\"; }");
    assertThat(plant.find("line-length")).hasSize(2);
  }

  @Test
  void scriptsAndProtocolFilesAreMeasuredAndDocumentsAreNot() {
    String line = "# " + "x".repeat(100);
    plant.file("kvorum", line).file("core/a.proto", line).file(".ci/run", line).file("A.md", line);

    assertThat(plant.find("line-length")).hasSize(3).noneMatch(found -> found.contains("A.md"));
  }

  @Test
  void aMethodMayHave60LinesAndNoMore() {
    plant.main("A", "void m() {" + "\n".repeat(59) + "}");
    assertThat(plant.find("method-length")).isEmpty();

    plant.main("A", "/** Says\n * much. */\nvoid m() {" + "\n".repeat(60) + "}");
    assertThat(plant.find("method-length"))
        .containsExactly(MAIN + ":7 m() has 61 lines, at most 60");
  }

  @Test
  void constructorsAndInitializersAreMeasuredToo() {
    plant.main("A", "A() {" + "\n".repeat(60) + "}\nstatic {" + "\n".repeat(60) + "}");

    assertThat(plant.find("method-length")).hasSize(2);
  }

  @Test
  void aMethodMayTakeSixParametersAndNoMore() {
    plant.main("A", "void m(int a, int b, int c, int d, int e, int f) {}");
    assertThat(plant.find("parameter-count")).isEmpty();

    plant.main("A", "void m(int a, int b, int c, int d, int e, int f, int g) {}");
    assertThat(plant.find("parameter-count")).containsExactly(MAIN + ":5 m() takes 7, at most 6");
  }

  @Test
  void recordsAndConstructorsMayTakeMore() {
    plant.main(
        "A",
        "A(int a, int b, int c, int d, int e, int f, int g) {}\n"
            + "record B(int a, int b, int c, int d, int e, int f, int g) {}");

    assertThat(plant.find("parameter-count")).isEmpty();
  }
}
