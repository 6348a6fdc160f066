package io.kvorum.simulator.zoo;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.simulator.QuietNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What etcd has had is planted, listed in docs/TESTING.md, and found. */
@ExtendWith(QuietNodes.class)
class EtcdBugsTest {
  private static final Path ROOT = Path.of("..");

  private static final int SEEDS_MAX = 40;

  /** One of these needs more seeds: they are for the whole hunt. */
  private static final Set<String> RARE =
      Set.of(
          "leader-counts-itself-before-its-sync",
          "old-answer-confirms-new-round",
          "progress-of-those-behind",
          "read-without-asking",
          "slow-watch-moved-over",
          "stuck-leader-ends-leases",
          "txn-reads-what-is-compacted");

  private static List<PlantedBug> bugs() {
    return Bugs.in(ROOT).stream().filter(bug -> bug.faults().contains("etcd#")).toList();
  }

  @Test
  void eachIsInTheTableOfTheDocs() throws IOException {
    String docs = Files.readString(ROOT.resolve("docs/TESTING.md"));
    assertThat(bugs()).hasSizeGreaterThanOrEqualTo(17);
    for (PlantedBug bug : bugs()) {
      assertThat(docs).contains("`" + bug.name() + "`");
      bug.faults()
          .lines()
          .flatMap(line -> List.of(line.split(" ")).stream())
          .filter(fault -> fault.startsWith("etcd#"))
          .forEach(fault -> assertThat(docs).contains(fault.substring("etcd#".length())));
    }
  }

  @Test
  void theFrequentOnesAreFoundSoon() {
    List<String> names =
        bugs().stream().map(PlantedBug::name).filter(name -> !RARE.contains(name)).toList();
    List<Zoo.Verdict> verdicts = new Zoo(ROOT, names).hunt(1, SEEDS_MAX, 1, verdict -> {});
    assertThat(verdicts).hasSize(names.size()).allMatch(Zoo.Verdict::isFound);
  }
}
