package io.kvorum.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Shows that each rule can fail: runs it over classes planted to break it, and near misses. */
class PlantedArchitectureTest {
  private static final String ROOT = "io.kvorum.examples.planted";
  private static final JavaClasses PLANTED = new ClassFileImporter().importPackages(ROOT);
  private static final Map<String, ArchRule> RULES = new Architecture(ROOT).rules();

  /** The class that breaks the rule: a report names it first, then what it should not know. */
  private static final Pattern ORIGIN =
      Pattern.compile("(?m)^\\W*[A-Z][\\w ]* <" + Pattern.quote(ROOT) + "\\.((?:[a-z]+\\.)+\\w+)");

  /** For each rule, what its report must name: exactly these classes, and no near miss. */
  private static final Map<String, List<String>> BREAKERS =
      Map.of(
          "arrowsPointOneWay", List.of("raft.CoreThatKnowsItsDriver"),
          "theCoreDependsOnNothing",
              List.of(
                  "raft.CoreThatKnowsItsDriver",
                  "raft.CoreThatLocks",
                  "raft.CoreThatStartsThreads"),
          "onlyTheDiskTouchesFiles", List.of("log.LogThatOpensFiles"),
          "onlyTransportsUseSockets",
              List.of("server.ServerThatHoldsBuffers", "server.ServerThatListens"),
          "rocksDbStandsInOnePackage", List.of("server.store.StoreThatKnowsRocks"),
          "packagesAreFreeOfCycles", List.of("client.Session", "client.net.Socket"),
          "theApiNamesNoDependency", List.of("api.LeakyAnswer"),
          "onlyTheSystemClockReadsTheClock", List.of("node.NodeThatReadsTheClock"),
          "productionKnowsNoTests", List.of("cli.CommandThatTests"));

  @Test
  void everyRuleNamesWhatWasPlantedAgainstItAndNothingElse() {
    assertThat(BREAKERS.keySet()).isEqualTo(RULES.keySet());
    BREAKERS.forEach(PlantedArchitectureTest::isNamedBy);
  }

  private static void isNamedBy(String rule, List<String> breakers) {
    var details = RULES.get(rule).evaluate(PLANTED).getFailureReport().getDetails();
    String report = String.join("\n", details);

    List<String> named = ORIGIN.matcher(report).results().map(found -> found.group(1)).toList();
    assertThat(Set.copyOf(named))
        .as(rule + " reports:\n" + report)
        .containsExactlyInAnyOrderElementsOf(breakers);
  }
}
