package io.kvorum.simulator.zoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The whole hunt is a command of its own; here the zoo itself is tested, and a few of its bugs. */
class ZooTest {
  private static final Path ROOT = Path.of("..");

  @Test
  void everyBugFitsTheSourcesAndCompiles() {
    Zoo zoo = new Zoo(ROOT, List.of());
    assertThat(zoo.bugs()).hasSizeGreaterThanOrEqualTo(25);
    zoo.checkAll();
  }

  @Test
  void aBugIsFoundAndItsSeedIsNamed() {
    Zoo zoo = new Zoo(ROOT, List.of("half-is-a-majority", "vote-not-stored"));
    List<Zoo.Verdict> verdicts = zoo.hunt(1, 2_000, 1, verdict -> {});
    assertThat(verdicts).hasSize(2).allMatch(Zoo.Verdict::isFound);
    assertThat(verdicts).allSatisfy(v -> assertThat(v.seed()).isEqualTo(v.seeds()));
  }

  @Test
  void aBugThatIsNoneIsMissed() {
    // The same sources, loaded a second time without an edit: what the hunt finds is the edit's.
    assertThat(new Zoo(ROOT, List.of()).huntNothing(1, 5)).isNull();
  }

  @Test
  void anUnknownNameIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> new Zoo(ROOT, List.of("no-such-bug")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no bug no-such-bug")
        .hasMessageContaining("vote-not-stored");
  }

  @Test
  void aDirectoryWithoutSourcesIsRefused() {
    assertThatThrownBy(() -> new Zoo(Path.of("target"), List.of()))
        .hasMessageContaining("it needs a checkout");
  }
}
