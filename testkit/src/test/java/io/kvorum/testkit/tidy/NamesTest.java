package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  @TempDir Path root;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "class RaftNodeImpl {}",
        "class LogManager {}",
        "record LogManagerState() {}",
        "enum TestHelper { A }",
        "class ByteUtil {}",
        "class ByteUtils {}",
        "interface KeyUtils {}",
        "abstract class AbstractRole {}",
        "interface IClock {}"
      })
  void emptyWordsAreFound(String type) {
    String name = type.replaceFirst(".*(class|record|enum|interface) (\\w+).*", "$2");

    assertThat(new Plant(root).main("A", type).find("name"))
        .singleElement()
        .asString()
        .startsWith("core/src/main/java/p/A.java:5 " + name + " is ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "class Implication {}",
        "class Utilization {}",
        "class Abstract {}",
        "class Management {}",
        "interface IOPort {}",
        "interface Index {}",
        "class IPrange {}"
      })
  void wordsThatOnlyBeginLikeThemAreNot(String type) {
    assertThat(new Plant(root).main("A", type).find("name")).isEmpty();
  }
}
