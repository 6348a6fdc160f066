package io.kvorum.simulator.shrink;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.run.PlantedUniverse;
import io.kvorum.simulator.run.Universe;
import io.kvorum.testkit.Seeds;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** Of {@link Shrinker}. */
class ShrinkerTest {
  private static List<Checker> checkers() {
    return List.of(new PlantedUniverse.NoPowerLossAfterCut());
  }

  private static Violation violation(SimPlan plan) {
    Violation violation = new PlantedUniverse().run(plan, checkers(), false).violation();
    assertThat(violation).isNotNull();
    return violation;
  }

  /** A plan that fails, found from the seed on. */
  private static SimPlan failing(long seed) {
    for (long next = seed; next < seed + 100; next++) {
      SimPlan plan = PlantedUniverse.plan(next);
      if (new PlantedUniverse().run(plan, checkers(), false).violation() != null) {
        return plan;
      }
    }
    throw new TestAbortedException("no plan fails from seed " + seed + " on");
  }

  @Test
  void leavesOnlyTheFaultsThatTheFailureNeeds() {
    Seeds.of(ShrinkerTest.class)
        .fresh(20)
        .forEach(
            seed -> {
              SimPlan plan = failing(seed);
              Shrinker.Shrunk shrunk =
                  new Shrinker(new PlantedUniverse(), ShrinkerTest::checkers, 400)
                      .shrink(plan, violation(plan));

              assertThat(shrunk.plan().faults()).hasSize(2);
              assertThat(shrunk.plan().faults().get(0).fault()).isInstanceOf(Fault.Cut.class);
              assertThat(shrunk.plan().faults().get(1).fault())
                  .isEqualTo(new Fault.LosePower(new NodeId("n2")));
              assertThat(plan.faults()).containsAll(shrunk.plan().faults());
              assertThat(violation(shrunk.plan())).hasMessage(shrunk.violation().getMessage());
            });
  }

  @Test
  void lowersOperationsClientsAndTime() {
    SimPlan plan = failing(1);
    // Fails as long as there are 7 operations, 2 clients, and 30 ms.
    Universe universe =
        (tried, checkers, keepTrace) ->
            tried.options().operationsMax() >= 7
                    && tried.options().clients() >= 2
                    && tried.options().safetyNanos() >= 30_000_000
                ? new PlantedUniverse().run(tried, checkers, keepTrace)
                : new PlantedUniverse().run(tried, List.of(), keepTrace);

    Shrinker.Shrunk shrunk =
        new Shrinker(universe, ShrinkerTest::checkers, 400).shrink(plan, violation(plan));

    assertThat(shrunk.plan().options().operationsMax()).isEqualTo(7);
    assertThat(shrunk.plan().options().clients()).isEqualTo(2);
    assertThat(shrunk.plan().options().safetyNanos()).isEqualTo(30_000_000);
    assertThat(shrunk.plan().options().nodes()).isEqualTo(plan.options().nodes());
  }

  @Test
  void keepsToItsBoundAndStillFails() {
    SimPlan plan = failing(1);
    Shrinker.Shrunk shrunk =
        new Shrinker(new PlantedUniverse(), ShrinkerTest::checkers, 3)
            .shrink(plan, violation(plan));

    assertThat(shrunk.runs()).isEqualTo(3);
    violation(shrunk.plan());
  }

  @Test
  void isDeterministic() {
    SimPlan plan = failing(1);
    Shrinker shrinker = new Shrinker(new PlantedUniverse(), ShrinkerTest::checkers, 400);

    assertThat(shrinker.shrink(plan, violation(plan)).plan())
        .isEqualTo(shrinker.shrink(plan, violation(plan)).plan());
  }

  @Test
  void doesNotTakeAnotherFailureForTheSame() {
    SimPlan plan = failing(1);
    Universe universe =
        (tried, checkers, keepTrace) -> {
          if (!tried.equals(plan)) {
            throw new IllegalStateException("another failure");
          }
          return new PlantedUniverse().run(tried, checkers, keepTrace);
        };

    Shrinker.Shrunk shrunk =
        new Shrinker(universe, ShrinkerTest::checkers, 400).shrink(plan, violation(plan));

    assertThat(shrunk.plan()).isEqualTo(plan);
    assertThat(shrunk.violation().checker()).isEqualTo("NoPowerLossAfterCut");
  }
}
