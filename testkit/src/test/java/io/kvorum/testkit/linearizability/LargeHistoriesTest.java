package io.kvorum.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kvorum.testkit.Seeds;
import io.kvorum.testkit.linearizability.KvOutput.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories of the size that tests of a cluster give are decided within the bound. */
class LargeHistoriesTest {
  @ParameterizedTest(name = "{0} clients, {1} operations, {2} keys, {3} % unknown, {4} {5}")
  @CsvSource({
    "12, 100000, 100, 0, false, pgg",
    "12, 100000, 100, 0, true, pggdcat",
    "16, 10000, 1, 0, false, pg",
    "16, 10000, 1, 0, true, pgcda",
    "12, 5000, 4, 4, false, pg",
    "12, 5000, 4, 4, false, pgcd",
    "12, 5000, 4, 4, true, pgcdat",
  })
  void aHealthyHistoryIsDecided(
      int clients, int size, int keys, int unknownPercent, boolean watchful, String kinds) {
    SimulatedStore.Shape shape =
        new SimulatedStore.Shape(clients, size, keys, unknownPercent, watchful, kinds);
    Seeds.of(LargeHistoriesTest.class)
        .fresh(1)
        .forEach(
            seed -> {
              List<Operation<KvInput, KvOutput>> history =
                  SimulatedStore.history(new SplittableRandom(seed), shape);
              assertThat(history).hasSize(size);
              Verdict verdict = LinearizabilityChecker.of(KvModel.alone()).check(history);
              assertThat(verdict.text()).startsWith("linearizable");
            });
  }

  /** One wrong answer among many right ones: a value of long ago, or one that nobody wrote. */
  @ParameterizedTest(name = "{0}, {1} % unknown, watchful {2}")
  @CsvSource({
    "never, 0, false",
    "never, 4, false",
    "never, 4, true",
    "stale, 0, false",
    "stale, 0, true",
    "revision, 0, true",
    "revision, 4, true",
  })
  void oneWrongAnswerIsFound(String wrong, int unknownPercent, boolean watchful) {
    SimulatedStore.Shape shape =
        new SimulatedStore.Shape(12, 5000, 4, unknownPercent, watchful, "pg");
    Seeds.of(LargeHistoriesTest.class)
        .fresh(3)
        .forEach(
            seed -> {
              SplittableRandom random = new SplittableRandom(seed);
              List<Operation<KvInput, KvOutput>> history =
                  new ArrayList<>(SimulatedStore.history(random, shape));
              int at = spoil(history, wrong, random.nextInt(2000, 4000));
              Verdict verdict = LinearizabilityChecker.of(KvModel.alone()).check(history);
              assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.VIOLATION);
              assertThat(verdict.failure().stuckOperation().calledAt())
                  .as("close to %s: %s", history.get(at), verdict.text())
                  .isCloseTo(history.get(at).calledAt(), within(500L));
            });
  }

  /**
   * Changes the first get behind that index; the first answers of all keys are long overwritten.
   */
  private static int spoil(List<Operation<KvInput, KvOutput>> history, String wrong, int from) {
    for (int i = from; i < history.size(); i++) {
      Operation<KvInput, KvOutput> read = history.get(i);
      if (!(read.input() instanceof KvInput.Get) || read.isUnknown()) {
        continue;
      }
      KvOutput was = read.output();
      Seen seen = was.seen().get(0);
      KvOutput other =
          switch (wrong) {
            case "never" -> with(was, "never");
            case "stale" -> new KvOutput(was.revision(), null, List.of(Seen.ABSENT));
            case "revision" -> new KvOutput(was.revision() + 1, null, List.of(seen));
            default -> throw new AssertionError(wrong);
          };
      history.set(
          i,
          new Operation<>(
              read.id(), read.process(), read.input(), other, read.calledAt(), read.returnedAt()));
      if (!wrong.equals("revision") || isFromTheFuture(history, i)) {
        return i;
      }
      history.set(i, read);
    }
    throw new AssertionError("no get behind " + from);
  }

  /** Whether the change that made the revision the read shows was called after it. */
  private static boolean isFromTheFuture(List<Operation<KvInput, KvOutput>> history, int at) {
    Operation<KvInput, KvOutput> read = history.get(at);
    long revision = read.output().revision();
    return history.stream()
        .anyMatch(
            write ->
                write.input() instanceof KvInput.Put
                    && write.output() != null
                    && write.output().revision() == revision
                    && write.calledAt() > read.returnedAt());
  }

  private static KvOutput with(KvOutput was, String value) {
    Seen seen = was.seen().get(0);
    Seen other = new Seen(value, seen.createRevision(), seen.modRevision(), seen.version());
    return new KvOutput(was.revision(), was.succeeded(), List.of(other));
  }
}
