package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocsTest {
  private static final String INFO = "core/src/main/java/p/package-info.java";

  @TempDir Path root;
  Plant plant;

  @BeforeEach
  void plant() {
    plant = new Plant(root).main("A", "");
  }

  @Test
  void aPackageIsNullMarked() {
    String missing = INFO + ":1 no package-info with @NullMarked";
    assertThat(plant.find("null-marked")).containsExactly(missing);

    plant.file(INFO, "/** It. */\npackage p;\n");
    assertThat(plant.find("null-marked")).containsExactly(missing);

    plant.file(
        INFO, "/** It. */\n@NullMarked\npackage p;\nimport org.jspecify.annotations.NullMarked;\n");
    assertThat(plant.find("null-marked")).isEmpty();
  }

  @Test
  void aTypeSaysWhatItIs() {
    assertThat(plant.find("javadoc")).isEmpty();

    plant.file("core/src/main/java/p/B.java", "package p;\n\n// It.\nrecord B() {}\n");
    plant.file("core/src/main/java/p/C.java", "package p;\n\n/** */\npublic enum C {}\n");
    assertThat(plant.find("javadoc"))
        .containsExactly(
            "core/src/main/java/p/B.java:4 B has no Javadoc",
            "core/src/main/java/p/C.java:4 C has no Javadoc");
  }
}
