package io.kvorum.simulator.shrink;

import static java.util.Map.entry;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.Snapshotting;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.simulator.plan.Whom;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a plan that somebody wrote may ask for: what the world can do, and ends in reasonable time.
 * Plans that are drawn stay far inside. Everything refused is an {@link IllegalArgumentException}
 * that says what is allowed.
 */
final class PlanLimits {
  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final long HOUR_NANOS = 60 * MINUTE_NANOS;
  private static final long YEAR_MILLIS = 365L * 24 * 60 * 60 * 1000;
  private static final int SEGMENT_UNIT_BYTES = 4096;
  private static final Range PER_MILLE = new Range(0, 1000);
  private static final Range MANY = new Range(1, 1_000_000);
  private static final Range BYTES = new Range(0, 1 << 30);
  private static final Range TIME = new Range(0, HOUR_NANOS);
  private static final Range DELAY = new Range(0, MINUTE_NANOS);

  /** By the simple name of the record and the name of the component. */
  private static final Map<String, Range> RANGES =
      Map.ofEntries(
          entry("SimOptions.nodes", new Range(1, 7)),
          entry("SimOptions.clients", new Range(1, 64)),
          entry("SimOptions.keys", new Range(1, 1000)),
          entry("SimOptions.operationsMax", new Range(0, 1_000_000)),
          entry("SimOptions.safetyNanos", TIME),
          entry("Tuning.electionMillis", new Range(11, 60_000)),
          entry("Tuning.heartbeatMillis", new Range(10, 60_000)),
          entry("Tuning.segmentBytes", new Range(16 << 10, 512 << 10)),
          entry("Tuning.overlayRows", MANY),
          entry("Tuning.flushEvery", new Range(0, 1_000_000)),
          entry("Tuning.valueBytesMax", new Range(1, 2048)),
          entry("Tuning.thinkNanosMax", TIME),
          entry("Tuning.pipeline", new Range(1, 64)),
          entry("Tuning.slowDisks", new Range(0, 7)),
          entry("Tuning.slowDiskNanosMax", DELAY),
          entry("Tuning.hashEvery", MANY),
          entry("Tuning.joiners", new Range(0, 6)),
          entry("Tuning.quietAfterMillis", new Range(0, 3_600_000)),
          entry("Tuning.appendEntriesMax", MANY),
          entry("Tuning.inflightMessagesMax", MANY),
          entry("Tuning.reserveBytes", BYTES),
          entry("Snapshotting.logBytes", BYTES),
          entry("Snapshotting.keptLogBytes", BYTES),
          entry("Snapshotting.logBudgetBytes", BYTES),
          entry("Snapshotting.chunkBytes", new Range(1, 256 << 10)),
          entry("Snapshotting.count", new Range(1, 100)),
          entry("Snapshotting.checkEntries", new Range(0, 1_000_000)),
          entry("Snapshotting.lackingNode", new Range(0, 1_000)),
          entry("TimedFault.atNanos", TIME),
          entry("LosePowerAtCall.call", MANY),
          entry("Pause.nanos", TIME),
          entry("PauseLane.nanos", TIME),
          entry("Drift.partsPerMillion", new Range(-500_000, 500_000)),
          entry("JumpForward.nanos", TIME),
          entry("JumpWall.millis", new Range(-YEAR_MILLIS, YEAR_MILLIS)),
          entry("FailDiskAtCall.call", MANY),
          entry("FailDiskAtRandom.perMille", PER_MILLE),
          entry("FillDisk.bytesLeft", new Range(0, Integer.MAX_VALUE)),
          entry("SlowDisk.nanosMax", DELAY),
          entry("Split.clients", new Range(0, 64)),
          entry("Weather.delayNanosMax", DELAY),
          entry("Weather.losePerMille", PER_MILLE),
          entry("Weather.repeatPerMille", PER_MILLE),
          entry("Weather.latePerMille", PER_MILLE),
          entry("CutClient.client", new Range(0, 63)),
          entry("BreakClient.client", new Range(0, 63)),
          entry("Moment.count", MANY),
          entry("Moment.delayNanos", TIME));

  private final SimOptions options;

  /** The numbers that are allowed, both ends included. */
  private record Range(long least, long most) {}

  private PlanLimits(SimOptions options) {
    this.options = options;
  }

  /** The limits of a plan with these options, if they are allowed themselves. */
  static PlanLimits of(SimOptions options) {
    PlanLimits limits = new PlanLimits(options);
    limits.checkComponents(options);
    Tuning tuning = options.tuning();
    check(
        tuning.heartbeatMillis() < tuning.electionMillis(),
        "heartbeatMillis is below electionMillis");
    check(
        tuning.segmentBytes() % SEGMENT_UNIT_BYTES == 0,
        "segmentBytes is a multiple of " + SEGMENT_UNIT_BYTES);
    Snapshotting snapshots = tuning.snapshots();
    check(
        snapshots.keptLogBytes() <= snapshots.logBudgetBytes(),
        "keptLogBytes is at most logBudgetBytes");
    // A comparison takes two entries itself.
    check(
        snapshots.checkEntries() == 0 || snapshots.checkEntries() >= 4,
        "checkEntries is 0 or at least 4");
    check(snapshots.lackingNode() <= options.nodes(), "lackingNode is one of the nodes, or 0");
    check(tuning.joiners() < options.nodes(), "joiners are fewer than the nodes");
    check(tuning.slowDisks() <= options.nodes(), "slowDisks are at most as many as the nodes");
    check(
        tuning.slowDisks() == 0 || tuning.slowDiskNanosMax() > 0,
        "slowDiskNanosMax is above 0 where there are slowDisks");
    return limits;
  }

  /** Checks that the fault may strike in a run with these options. */
  void check(TimedFault timed) {
    checkComponents(timed);
    Fault fault = timed.fault();
    while (fault instanceof Fault.Await await) {
      fault = await.then();
    }
    if (fault instanceof Fault.Split split) {
      check(split.clients() <= options.clients(), "a split has at most all clients on a side");
    } else if (fault instanceof Fault.CutClient cut) {
      checkClient(cut.client());
    } else if (fault instanceof Fault.BreakClient broken) {
      checkClient(broken.client());
    } else if (fault instanceof Fault.ChangeMembers change) {
      check(!change.voters().isEmpty(), "a membership has a voter");
      Set<NodeId> distinct = new HashSet<>(change.voters());
      distinct.addAll(change.learners());
      check(
          distinct.size() == change.voters().size() + change.learners().size(),
          "a membership names each node once");
    }
  }

  private void checkClient(int client) {
    check(client < options.clients(), "the clients are 0 to " + (options.clients() - 1));
  }

  private void checkComponents(Record record) {
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      String name = record.getClass().getSimpleName() + "." + component.getName();
      Object value = RecordText.value(component, record);
      if (value instanceof Integer || value instanceof Long) {
        checkNumber(name, ((Number) value).longValue());
      } else if (value instanceof Double fraction) {
        check(fraction >= 0 && fraction < 1, name + " is from 0 to below 1, not " + fraction);
      } else if (value instanceof NodeId node) {
        checkNode(node);
      } else if (value instanceof List<?> nodes) {
        nodes.forEach(node -> checkNode((NodeId) node));
      } else if (value instanceof Record nested) {
        checkComponents(nested);
      } else if (!(value instanceof Boolean || value instanceof Enum<?>)) {
        throw new IllegalArgumentException(name + " is missing");
      }
    }
  }

  private static void checkNumber(String name, long number) {
    Range range = RANGES.get(name);
    if (range == null) {
      throw new AssertionError("no limits for " + name);
    }
    check(
        number >= range.least() && number <= range.most(),
        name + " is from " + range.least() + " to " + range.most() + ", not " + number);
  }

  private void checkNode(NodeId node) {
    if (Whom.of(node) != null) {
      return;
    }
    for (int i = 1; i <= options.nodes(); i++) {
      if (node.name().equals("n" + i)) {
        return;
      }
    }
    String others =
        Arrays.stream(Whom.values())
            .map(whom -> whom.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "there is no node " + node + "; there are n1 to n" + options.nodes() + ", and " + others);
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException("not allowed: " + rule);
    }
  }
}
