package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules over documents: names of classes, and links. */
class DocumentsTest {
  @TempDir Path root;
  Plant plant;

  @BeforeEach
  void plant() {
    plant =
        new Plant(root)
            .main("RaftCore", "record Inner() {}")
            .file("core/src/main/protobuf/a.proto", "message PutRequest {\n}\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GoneClass",
        "Gone",
        "GoneClass.step",
        "GoneClass#step()",
        "GoneClass(a, b)",
        "GoneClass.java",
        "GoneClass<String>"
      })
  void aClassThatIsGoneIsFound(String name) {
    plant.file("docs/A.md", "# A\nthe `" + name + "` does\n");

    assertThat(plant.find("class-in-docs"))
        .singleElement()
        .asString()
        .endsWith(" exists neither here nor in the JDK")
        .startsWith("docs/A.md:2 Gone");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RaftCore",
        "RaftCore.step()",
        "Inner",
        "PutRequest",
        "CompletableFuture",
        "FileChannel.open(…)",
        "README.md",
        "mvn Gone",
        "KVORUM_HOME",
        "-Xmx",
        "kvorum"
      })
  void whatExistsOrIsNoClassIsFine(String name) {
    plant.file("README.md", "the `" + name + "` does\n");

    assertThat(plant.find("class-in-docs")).isEmpty();
  }

  @Test
  void codeBlocksAndTheChangeLogAreNotSearched() {
    plant.file("docs/A.md", "```java\n`GoneClass`\n```\n").file("CHANGELOG.md", "`GoneClass`\n");

    assertThat(plant.find("class-in-docs")).isEmpty();
  }

  @Test
  void aLinkThatLeadsNowhereIsFound() {
    plant
        .file("docs/A.md", "# A: the first\n\n[up](../README.md) [here](#a-the-first)\n")
        .file("README.md", "[a](docs/A.md) ![b](docs/b.png)\n[c](docs/A.md#gone) [d](#gone)\n");

    assertThat(plant.find("link"))
        .containsExactly(
            "README.md:1 docs/b.png leads nowhere",
            "README.md:2 docs/A.md#gone leads nowhere",
            "README.md:2 #gone leads nowhere");
  }

  @Test
  void aLinkOutOfTheTreeLeadsNowhereForOthers() {
    plant.file("README.md", "[up](../)\n");

    assertThat(plant.find("link")).containsExactly("README.md:1 ../ leads nowhere");
  }

  @Test
  void linksElsewhereAndLinksInCodeAreNotFollowed() {
    plant.file(
        "README.md", "[a](https://a.b/c) `[b](gone.md)`\n```\n[c](gone.md)\n```\n[d](docs)\n");
    plant.file("docs/A.md", "");

    assertThat(plant.find("link")).isEmpty();
  }
}
