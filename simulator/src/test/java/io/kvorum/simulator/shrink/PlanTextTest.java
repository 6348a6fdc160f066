package io.kvorum.simulator.shrink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.plan.Cue;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.plan.Whom;
import io.kvorum.testkit.Seeds;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Of {@link PlanText} and what it is made of. */
public class PlanTextTest {
  /** Every kind of component that a fault or an option may have. */
  public record Everything(
      int number,
      long large,
      double fraction,
      boolean flag,
      String text,
      NodeId node,
      Thread.State state,
      @Nullable String nothing,
      List<String> texts,
      SortedSet<NodeId> nodes,
      Set<Integer> numbers,
      Inner inner) {}

  public record Inner(long a, Innermost b) {}

  public record Innermost(double x, String y) {}

  /** A record of that type with chance in every component. */
  private static Object draw(Class<?> type, SplittableRandom random) throws Exception {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = drawValue(types[i], random);
    }
    return type.getConstructor(types).newInstance(values);
  }

  private static Object drawValue(Class<?> type, SplittableRandom random) throws Exception {
    if (type == NodeId.class) {
      return new NodeId("n" + random.nextInt(1, 8));
    } else if (type == List.class) {
      return List.of(new NodeId("n" + random.nextInt(1, 8)), new NodeId("n9"));
    } else if (type == int.class) {
      return random.nextInt(1, 8);
    } else if (type == long.class) {
      return random.nextLong(Long.MAX_VALUE);
    } else if (type == double.class) {
      return random.nextDouble();
    } else if (type == boolean.class) {
      return random.nextBoolean();
    } else if (type == Fault.class) {
      return new Fault.Await(
          new Fault.Moment(Cue.VOTED, random.nextInt(1, 8), random.nextLong(1000)),
          new Fault.Kill(Whom.CANDIDATE.id()));
    } else if (type.isEnum()) {
      return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
    }
    return draw(type, random);
  }

  @Test
  void anyPlanIsReadAsItWasWritten() {
    Seeds.of(PlanTextTest.class)
        .fresh(100)
        .forEach(
            seed -> {
              SplittableRandom random = new SplittableRandom(seed);
              List<TimedFault> faults = new ArrayList<>();
              for (Class<?> kind : Fault.class.getPermittedSubclasses()) {
                Fault fault = (Fault) draw(kind, random);
                faults.add(new TimedFault(random.nextLong(Long.MAX_VALUE), fault));
              }
              SimOptions options = (SimOptions) draw(SimOptions.class, random);
              SimPlan plan = new SimPlan(random.nextLong(), options, faults);

              String text = PlanText.write(plan);
              assertThat(PlanText.readUnchecked(text)).isEqualTo(plan);
              assertThat(PlanText.readUnchecked("# comment\n\n" + text)).isEqualTo(plan);
            });
  }

  @Test
  void everyPlanThatIsDrawnIsAllowed() {
    for (long seed = 1; seed <= 1_000; seed++) {
      SimPlan plan = Plans.draw(seed);
      assertThat(PlanText.read(PlanText.write(plan))).as("seed %d", seed).isEqualTo(plan);
    }
  }

  @Test
  void whatNoWorldCouldDoIsRefusedWithItsLine() {
    String good = PlanText.write(new SimPlan(1, new SimOptions(3, 2, 5, 100, 0), List.of()));
    assertThat(PlanText.read(good).options().nodes()).isEqualTo(3);
    assertWrong(good.replace("nodes=3", "nodes=8"), "line 3: ", "1 to 7 nodes");
    assertWrong(good.replace("clients=2", "clients=65"), "line 3: ", "from 1 to 64, not 65");
    assertWrong(good.replace("joiners=0", "joiners=3"), "line 3: ", "joiners are fewer than");
    assertWrong(good.replace("joiners=0", "joiners=-1"), "line 3: ", "from 0 to 6, not -1");
    assertWrong(good.replace("slowDisks=0", "slowDisks=4"), "line 3: ", "slowDisks are at most");
    assertWrong(good.replace("=65536", "=65537"), "line 3: ", "a multiple of 4096");
    assertWrong(good.replace("heartbeatMillis=100", "heartbeatMillis=500"), "line 3: ", "below");
    assertWrong(good.replace("joiners=0", "joiners=~"), "line 3: ~ is nothing");
    assertWrong(good.replace("seed 1", "seed x"), "line 2: a seed is a whole number");

    assertWrong(good + "fault 1 Heal\nfault 7 Kill node=n4\n", "line 5: ", "n1 to n3, and leader");
    assertWrong(good + "fault 7 Kill node=~\n", "line 4: ~ is nothing");
    assertWrong(good + "fault x Heal\n", "line 4: the time of a fault is a whole number");
    assertWrong(good + "fault -1 Heal\n", "line 4: ", "TimedFault.atNanos is from 0 to");
    assertWrong(good + "fault 7 CutClient client=2 node=n1\n", "the clients are 0 to 1");
    assertWrong(good + "fault 7 Split side=[n1,n9] clients=0\n", "there is no node n9");
    assertWrong(good + "fault 7 Split side=[n1] clients=3\n", "at most all clients");
    assertWrong(good + "fault 7 ZeroPage node=n1 file=VOTE position=1.5\n", "below 1, not 1.5");
    assertWrong(good + "fault 7 ZeroPage node=n1 file=VOTE position=NaN\n", "below 1, not NaN");
    assertWrong(good + "fault 7 ChangeMembers voters=[] learners=[]\n", "has a voter");
    assertWrong(good + "fault 7 ChangeMembers voters=[n1] learners=[n1]\n", "each node once");
    String await = "Await cue=ELECTED count=1 delayNanos=0 then ";
    assertWrong(good + "fault 7 " + await + "Kill node=n4\n", "there is no node n4");
    assertWrong(good + "fault 7 " + await.repeat(10_000) + "Heal\n", "at most 8 moments");
  }

  /** A fault that is new needs limits for its numbers. */
  @Test
  void everyNumberOfAFaultHasLimits() throws Exception {
    PlanLimits limits = PlanLimits.of(new SimOptions(7, 8, 5, 100, 0));
    for (Class<?> kind : Fault.class.getPermittedSubclasses()) {
      try {
        limits.check(new TimedFault(1, (Fault) draw(kind, new SplittableRandom(1))));
      } catch (IllegalArgumentException refused) {
        assertThat(refused).hasMessageNotContaining("missing");
      }
    }
  }

  @Test
  void everyKindOfComponentIsReadAsItWasWritten() {
    Everything everything =
        new Everything(
            -3,
            Long.MIN_VALUE,
            1e-300,
            true,
            "a b=c,d%~[]\n",
            new NodeId("n1"),
            Thread.State.NEW,
            null,
            List.of("", "x,y"),
            new TreeSet<>(Set.of(new NodeId("a"), new NodeId("b"))),
            Set.of(),
            new Inner(1, new Innermost(0.1, "")));

    String text = RecordText.write(everything);

    assertThat(text).doesNotContain("\n").contains("node=n1", "inner.b.x=0.1", "nothing=~");
    assertThat(RecordText.read(Everything.class, text)).isEqualTo(everything);
  }

  @Test
  void oneNumberCanBeChanged() {
    Inner inner = new Inner(1, new Innermost(0.5, "y"));

    assertThat(RecordText.with(inner, "a", 7)).isEqualTo(new Inner(7, inner.b()));
  }

  @Test
  void aFaultReadsAsItsNameAndFields() {
    assertThat(PlanText.write(new Fault.Cut(new NodeId("n1"), new NodeId("n2"))))
        .isEqualTo("Cut from=n1 to=n2");
    assertThat(PlanText.write(new Fault.Heal())).isEqualTo("Heal");
    assertThat(
            PlanText.write(
                new Fault.Await(
                    new Fault.Moment(Cue.ELECTED, 2, 7),
                    new Fault.Split(List.of(Whom.LEADER.id(), Whom.LAGGARD.id()), 1))))
        .isEqualTo(
            "Await cue=ELECTED count=2 delayNanos=7 then Split side=[leader,laggard] clients=1");
  }

  @Test
  void whatIsWrongIsSaidWithItsLine() {
    String begin = "kvorum-sim-plan 1\nseed 1\n";

    assertWrong("seed 1\n", "line 1: a plan begins with \"kvorum-sim-plan 1\"");
    assertWrong("", "a plan has a seed and options");
    assertWrong(begin, "a plan has a seed and options");
    assertWrong(begin + "options nodes=3\n", "line 3: SimOptions lacks clients");
    assertWrong(begin + "options nodes=x clients=1\n", "line 3: nodes is no int: x");
    assertWrong(begin + "nonsense\n", "line 3: unknown word \"nonsense\"");
    assertWrong(
        begin + "fault 7 Earthquake\n", "line 3: there is no fault Earthquake", "LosePower");
    assertWrong(begin + "fault 7 Kill\n", "line 3: Kill lacks node");
    assertWrong(begin + "fault 7 Kill node=n1 x=1\n", "line 3: Kill has no x");
    assertWrong(begin + "fault 7 Kill node=n1 node=n1\n", "node stands there twice");
    assertWrong(begin + "fault 7 Await cue=ELECTED\n", "Await lacks");
    assertWrong(begin + "fault 7 Await cue=NOON count=1 then Heal\n", "cue is no Cue: NOON");
    assertWrong(begin + "fault 7 Kill n1\n", "\"n1\" is not of the form name=value");
  }

  private static void assertWrong(String text, String... words) {
    assertThatThrownBy(() -> PlanText.read(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(words);
  }
}
