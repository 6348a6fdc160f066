package io.kvorum.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.testkit.Seeds;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Healthy histories of the size that tests of a cluster give are decided within the bound. */
class LargeHistoriesTest {
  @ParameterizedTest(name = "{0} clients, {1} operations, {2} keys, {3} % unknown, {4} {5}")
  @CsvSource({
    "12, 100000, 100, 0, false, pgg",
    "12, 100000, 100, 0, true, pggdc",
    "12, 100000, 100, 1, false, pggdcat",
    "16, 10000, 1, 0, false, pg",
    "16, 10000, 1, 0, true, pg",
    "16, 10000, 1, 0, false, pgcda",
    "12, 5000, 4, 4, false, pg",
    "12, 5000, 4, 4, true, pg",
    "12, 5000, 4, 4, false, pgcda",
    "12, 5000, 4, 4, true, pgcdat",
  })
  void aHealthyHistoryIsDecided(
      int clients, int size, int keys, int unknownPercent, boolean watchful, String kinds) {
    SimulatedStore.Shape shape =
        new SimulatedStore.Shape(clients, size, keys, unknownPercent, watchful, kinds);
    Seeds.of(LargeHistoriesTest.class)
        .fresh(Integer.getInteger("n", 2))
        .forEach(
            seed -> {
              List<Operation<KvInput, KvOutput>> history =
                  SimulatedStore.history(new SplittableRandom(seed), shape);
              long t0 = System.nanoTime();
              Verdict verdict = LinearizabilityChecker.of(KvModel.alone()).check(history);
              System.out.println(shape + " " + verdict.outcome() + " " + verdict.configurations() + " " + (System.nanoTime() - t0) / 1000000 + " ms");
              assertThat(verdict.isLinearizable()).as(verdict.text()).isTrue();
            });
  }
}
