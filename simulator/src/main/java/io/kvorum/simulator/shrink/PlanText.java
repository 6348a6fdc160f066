package io.kvorum.simulator.shrink;

import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.TimedFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Plans as text, which {@code ./kvorum sim --plan FILE} replays: a shrunk plan no longer follows
 * from its seed.
 *
 * <pre>
 * kvorum-sim-plan 1
 * seed 4711
 * options nodes=3 clients=2 keys=5 operationsMax=100 safetyNanos=2000000000
 * fault 150000000 LosePower node=n2
 * fault 150000000 Await cue=ELECTED count=1 delayNanos=0 then Split side=[leader,laggard] clients=1
 * </pre>
 *
 * Lines that begin with {@code #} are comments.
 */
public final class PlanText {
  private static final String HEADER = "kvorum-sim-plan 1";
  private static final String AWAIT = "Await ";
  private static final String THEN = " then ";

  /** One after the other, before a fault strikes. */
  private static final int AWAITED_MAX = 8;

  private static final Map<String, Class<? extends Record>> FAULTS = faults(Fault.class);

  private PlanText() {}

  /** The text of a plan; lines end in a line feed. */
  public static String write(SimPlan plan) {
    StringBuilder text = new StringBuilder(HEADER).append('\n');
    text.append("seed ").append(plan.seed()).append('\n');
    text.append("options ").append(RecordText.write(plan.options())).append('\n');
    for (TimedFault timed : plan.faults()) {
      text.append("fault ").append(timed.atNanos()).append(' ');
      text.append(write(timed.fault())).append('\n');
    }
    return text.toString();
  }

  /** A fault on one line: its name and its fields. */
  public static String write(Fault fault) {
    if (fault instanceof Fault.Await await) {
      return AWAIT + RecordText.write(await.moment()) + THEN + write(await.then());
    }
    String fields = RecordText.write((Record) fault);
    String name = fault.getClass().getSimpleName();
    return fields.isEmpty() ? name : name + " " + fields;
  }

  /**
   * Reads a plan. It asks for nothing that a world could not do.
   *
   * @throws IllegalArgumentException that names the line and what is wrong with it
   */
  public static SimPlan read(String text) {
    Reader reader = reader(text);
    SimPlan plan = reader.plan();
    PlanLimits limits = at(reader.optionsLine, () -> PlanLimits.of(plan.options()));
    for (int i = 0; i < plan.faults().size(); i++) {
      TimedFault timed = plan.faults().get(i);
      at(
          reader.faultLines.get(i),
          () -> {
            limits.check(timed);
            return timed;
          });
    }
    return plan;
  }

  /** Reads a plan as it was written, whether or not a world could follow it. */
  static SimPlan readUnchecked(String text) {
    return reader(text).plan();
  }

  private static Reader reader(String text) {
    Reader reader = new Reader();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (!line.isBlank() && !line.startsWith("#")) {
        reader.number = number;
        at(number, () -> reader.line(line.strip()));
      }
    }
    return reader;
  }

  private static <T> T at(int line, Supplier<T> checked) {
    try {
      return checked.get();
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException("line " + line + ": " + wrong.getMessage(), wrong);
    }
  }

  /** Every kind of fault by its name, those of nested sealed types included. */
  private static Map<String, Class<? extends Record>> faults(Class<?> sealed) {
    Map<String, Class<? extends Record>> found = new LinkedHashMap<>();
    for (Class<?> kind : sealed.getPermittedSubclasses()) {
      if (kind.isRecord()) {
        found.put(kind.getSimpleName(), kind.asSubclass(Record.class));
      } else {
        found.putAll(faults(kind));
      }
    }
    return found;
  }

  /** Takes a plan's lines one by one. */
  private static final class Reader {
    private boolean begun;
    private @Nullable Long seed;
    private @Nullable SimOptions options;
    private final List<TimedFault> faults = new ArrayList<>();
    private int number;
    private int optionsLine;
    private final List<Integer> faultLines = new ArrayList<>();

    /** Takes a line; returns itself. */
    Reader line(String line) {
      if (!begun) {
        if (!line.equals(HEADER)) {
          throw new IllegalArgumentException("a plan begins with \"" + HEADER + "\"");
        }
        begun = true;
        return this;
      }
      String[] words = line.split(" +", 2);
      String rest = words.length == 1 ? "" : words[1];
      if (rest.contains(RecordText.NULL)) {
        throw new IllegalArgumentException(RecordText.NULL + " is nothing, and all is needed");
      }
      switch (words[0]) {
        case "seed" -> seed = number("a seed", rest);
        case "options" -> {
          options = RecordText.read(SimOptions.class, rest);
          optionsLine = number;
        }
        case "fault" -> {
          faults.add(timed(rest));
          faultLines.add(number);
        }
        default -> throw new IllegalArgumentException("unknown word \"" + words[0] + "\"");
      }
      return this;
    }

    private static long number(String what, String text) {
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException malformed) {
        throw new IllegalArgumentException(
            what + " is a whole number, not \"" + text + "\"", malformed);
      }
    }

    private static TimedFault timed(String text) {
      String[] words = text.split(" +", 2);
      if (words.length < 2) {
        throw new IllegalArgumentException("a fault has a time and a name");
      }
      return new TimedFault(number("the time of a fault", words[0]), fault(words[1], 0));
    }

    private static Fault fault(String text, int awaited) {
      if (awaited > AWAITED_MAX) {
        throw new IllegalArgumentException("a fault awaits at most " + AWAITED_MAX + " moments");
      }
      if (text.startsWith(AWAIT)) {
        int then = text.indexOf(THEN);
        if (then < 0) {
          throw new IllegalArgumentException("Await lacks \"then\" and a fault");
        }
        String moment = text.substring(AWAIT.length(), then);
        return new Fault.Await(
            RecordText.read(Fault.Moment.class, moment),
            fault(text.substring(then + THEN.length()), awaited + 1));
      }
      String[] words = text.split(" +", 2);
      Class<? extends Record> kind = FAULTS.get(words[0]);
      if (kind == null) {
        throw new IllegalArgumentException(
            "there is no fault " + words[0] + "; there are " + String.join(", ", FAULTS.keySet()));
      }
      return (Fault) RecordText.read(kind, words.length == 1 ? "" : words[1]);
    }

    SimPlan plan() {
      if (seed == null || options == null) {
        throw new IllegalArgumentException("a plan has a seed and options");
      }
      return new SimPlan(seed, options, faults);
    }
  }
}
