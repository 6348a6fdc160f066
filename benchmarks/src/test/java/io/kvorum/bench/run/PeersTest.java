package io.kvorum.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.SystemUnderTest;
import io.kvorum.testkit.tidy.Tidy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The peers, and the two places that name their versions. */
class PeersTest {
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "<dependency>\\s*<groupId>(.*?)</groupId>\\s*<artifactId>(.*?)</artifactId>\\s*"
              + "<version>(.*?)</version>");

  @TempDir Path libraries;

  @Test
  void aPeerRunsWithTheVersionThatItIsCompiledAgainst() throws IOException {
    List<String> compiled = dependencies(Tidy.root().resolve("benchmarks/pom.xml"));
    for (String peer : Systems.peerNames()) {
      Path folder = Tidy.root().resolve("benchmarks/peers").resolve(peer);
      List<String> run = dependencies(folder.resolve("pom.xml"));
      assertThat(run).as(peer).isNotEmpty();
      assertThat(compiled).as(peer).contains(run.get(0));
    }
  }

  @Test
  void aPeerSaysTheVersionThatItRunsWith() throws IOException {
    for (String peer : List.of("zookeeper", "rheakv", "ratis", "dledger")) {
      Files.createDirectories(libraries.resolve(peer));
      SystemUnderTest system = Systems.withPeers(List.of(peer), new Libraries(libraries)).get(1);
      Path pom = Tidy.root().resolve("benchmarks/peers").resolve(peer).resolve("pom.xml");
      assertThat(dependencies(pom).get(0)).endsWith(":" + system.version());
    }
  }

  @Test
  void everyPeerIsInTheListOfWhatIsFetched() throws IOException {
    String pom = Files.readString(Tidy.root().resolve("benchmarks/peers/pom.xml"));
    assertThat(Systems.peerNames())
        .allSatisfy(peer -> assertThat(pom).contains("<module>" + peer + "</module>"));
  }

  @Test
  void whatIsMissingIsNamed() {
    Libraries none = new Libraries(libraries);
    assertThatThrownBy(() -> none.of("ratis")).hasMessageContaining("libraries of ratis");
    assertThatThrownBy(() -> Systems.withPeers(List.of("consul"), none))
        .hasMessageContaining("no such peer: consul")
        .hasMessageContaining("zookeeper");
    assertThatThrownBy(() -> Systems.withPeers(List.of("ratis", "ratis"), none))
        .hasMessageContaining("different peers");
  }

  private static List<String> dependencies(Path pom) throws IOException {
    return DEPENDENCY
        .matcher(
            Files.readString(pom)
                .replaceAll("(?s)<dependencyManagement>.*?</dependencyManagement>", ""))
        .results()
        .map(PeersTest::coordinates)
        .collect(Collectors.toList());
  }

  private static String coordinates(MatchResult found) {
    return found.group(1) + ":" + found.group(2) + ":" + found.group(3);
  }
}
