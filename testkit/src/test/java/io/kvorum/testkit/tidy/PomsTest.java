package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PomsTest {
  @TempDir Path root;
  Plant plant;

  @BeforeEach
  void plant() {
    plant = new Plant(root);
  }

  @Test
  void thePinnedVersionIsFine() {
    plant
        .file("pom.xml", "<jqwik.version>1.9.3</jqwik.version>\n" + dependency("${jqwik.version}"))
        .file("core/pom.xml", dependency("1.9.3"));

    assertThat(plant.find("jqwik-version")).isEmpty();
  }

  @Test
  void anotherVersionIsFoundWhereverItStands() {
    plant
        .file("pom.xml", "<project>\n<jqwik.version>1.10.0</jqwik.version>")
        .file("core/pom.xml", "<project>\n" + dependency("[1.9.3,)"));

    assertThat(plant.find("jqwik-version"))
        .containsExactly(
            "core/pom.xml:2 jqwik [1.9.3,), pinned is 1.9.3",
            "pom.xml:2 jqwik 1.10.0, pinned is 1.9.3");
  }

  @Test
  void theParentIsToldFromItsModules() {
    plant
        .file("pom.xml", "<project><artifactId>kvorum</artifactId><modules/><modules></modules>")
        .file("core/pom.xml", "<project><parent><artifactId>kvorum</artifactId></parent>");

    assertThat(Poms.isParent(root.resolve("pom.xml"))).isTrue();
    assertThat(Poms.isParent(root.resolve("core/pom.xml"))).isFalse();
    assertThat(Poms.isParent(root.resolve("gone/pom.xml"))).isFalse();
  }

  private static String dependency(String version) {
    return "<dependency>\n<groupId>net.jqwik</groupId>\n<artifactId>jqwik</artifactId>\n<version>"
        + version
        + "</version>\n</dependency>\n";
  }
}
