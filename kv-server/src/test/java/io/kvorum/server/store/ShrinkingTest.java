package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.AfterFailureMode;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * What {@link KvStateMachineModelTest} would show of a bug: for each one planted it falsifies, and
 * the script it falsifies with is cut down to what a person takes in at a glance. The draws are
 * fixed: how far one script can be cut down depends on where it began, and one in a hundred keeps a
 * step that only two changes at once would remove.
 */
class ShrinkingTest {
  private static final String SEED = "1";

  @Property(
      tries = 500,
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.FULL,
      afterFailure = AfterFailureMode.RANDOM_SEED,
      seed = SEED)
  @AddLifecycleHook(FalsifiedByFewSteps.class)
  void deleteMissesTheLastKey(@ForAll("steps") List<Script.Step> steps) {
    run(PlantedBug.DELETE_MISSES_THE_LAST_KEY, steps);
  }

  @Property(
      tries = 500,
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.FULL,
      afterFailure = AfterFailureMode.RANDOM_SEED,
      seed = SEED)
  @AddLifecycleHook(FalsifiedByFewSteps.class)
  void readBackwardsMissesTheLastKey(@ForAll("steps") List<Script.Step> steps) {
    run(PlantedBug.READ_BACKWARDS_MISSES_THE_LAST_KEY, steps);
  }

  @Property(
      tries = 500,
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.FULL,
      afterFailure = AfterFailureMode.RANDOM_SEED,
      seed = SEED)
  @AddLifecycleHook(FalsifiedByFewSteps.class)
  void flushDoesNothing(@ForAll("steps") List<Script.Step> steps) {
    run(PlantedBug.FLUSH_DOES_NOTHING, steps);
  }

  @Provide
  Arbitrary<List<Script.Step>> steps() {
    return Script.steps();
  }

  private static void run(PlantedBug bug, List<Script.Step> steps) {
    new ScriptedStore(() -> bug.in(new MemoryHome(0)), StoreOptions.DEFAULT).run(steps);
  }

  /** Turns the failure that is expected into a success, if it is a short one. */
  static final class FalsifiedByFewSteps implements AroundPropertyHook {
    private static final int STEPS_MAX = 2;

    @Override
    public PropertyExecutionResult aroundProperty(
        PropertyLifecycleContext context, PropertyExecutor property) {
      PropertyExecutionResult result = property.execute();
      try {
        assertThat(result.status()).isEqualTo(PropertyExecutionResult.Status.FAILED);
        List<?> steps = (List<?>) result.falsifiedParameters().orElseThrow().get(0);
        assertThat(steps)
            .as("the smallest script that shows the bug")
            .hasSizeLessThanOrEqualTo(STEPS_MAX);
      } catch (AssertionError missed) {
        return result.mapToFailed(missed);
      }
      return result.mapToSuccessful();
    }
  }
}
