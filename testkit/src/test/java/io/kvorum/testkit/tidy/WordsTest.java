package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WordsTest {
  @TempDir Path root;
  Plant plant;

  @BeforeEach
  void plant() {
    plant = new Plant(root);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TO@DO", "FIX@ME", "XX@X"})
  void unfinishedThoughtsAreFound(String word) {
    plant.file("docs/A.md", "a\n" + word.replace("@", "") + ": more\n");

    assertThat(plant.find("left-over"))
        .containsExactly("docs/A.md:2 an unfinished thought; do it or file it");
  }

  @Test
  void aDocumentMayNameTheMarkAndAWordMayContainIt() {
    String mark = "TO" + "DO";
    plant.file("docs/A.md", "No `" + mark + "` here, nor MAS" + mark + "N.\n");
    assertThat(plant.find("left-over")).isEmpty();

    plant.main("A", "// `" + mark + "`");
    assertThat(plant.find("left-over")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"see /w@ork/shared", "cd \"/t@mp/wt/a\"", "<dir>/r@oot</dir>", "`/r@oot/x`"})
  void pathsOfOneMachineAreFound(String text) {
    plant.file("docs/A.md", text.replace("@", ""));

    assertThat(plant.find("machine-path")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"</r@oot>", "home/w@ork/x", "${dir}/w@ork/x", "/r@oots", "/t@mp/w"})
  void otherPathsAreNot(String text) {
    plant.file("docs/A.md", text.replace("@", ""));

    assertThat(plant.find("machine-path")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://repo1.m@aven.org/x", "deb.d@ebian.org", "registry.n@pmjs.com"})
  void registriesAreFound(String text) {
    plant.file("docs/A.md", text.replace("@", ""));

    assertThat(plant.find("registry-host")).hasSize(1);
  }

  @Test
  void theNameSpaceOfAPomIsNoRegistry() {
    plant.file("pom.xml", "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"/>");

    assertThat(plant.find("registry-host")).isEmpty();
  }
}
