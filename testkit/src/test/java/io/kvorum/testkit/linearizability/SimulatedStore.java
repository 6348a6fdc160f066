package io.kvorum.testkit.linearizability;

import io.kvorum.testkit.linearizability.KvInput.Single;
import io.kvorum.testkit.linearizability.KvOutput.Seen;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * Histories as a store without faults would give them: each operation takes effect at one instant
 * between call and return, on a plain map. Shares no code with the model that is to judge them.
 */
final class SimulatedStore {
  /**
   * What a history is like.
   *
   * @param unknownPercent of the operations whose outcome nobody hears; half of them happen, some
   *     much later
   * @param watchful whether clients look at revisions and versions
   * @param kinds which operations there are, one letter each: put, get, delete, compare-and-set,
   *     append, transaction; a letter that stands twice is twice as frequent
   */
  record Shape(
      int clients, int operations, int keys, int unknownPercent, boolean watchful, String kinds) {}

  private record Row(String value, long created, long changed, long version) {}

  private record Plan(
      int client, char kind, long called, long effective, long returned, boolean unknown) {}

  private final RandomGenerator random;
  private final Shape shape;
  private final Map<String, Row> rows = new TreeMap<>();
  private long revision = 1;
  private long values;

  private SimulatedStore(RandomGenerator random, Shape shape) {
    this.random = random;
    this.shape = shape;
  }

  static List<Operation<KvInput, KvOutput>> history(RandomGenerator random, Shape shape) {
    return new SimulatedStore(random, shape).run();
  }

  private List<Operation<KvInput, KvOutput>> run() {
    List<Plan> plans = plans();
    plans.sort(Comparator.comparingLong(Plan::effective));
    List<Operation<KvInput, KvOutput>> history = new ArrayList<>();
    for (int i = 0; i < plans.size(); i++) {
      Plan plan = plans.get(i);
      KvInput input = input(plan.kind());
      boolean happens = !plan.unknown() || random.nextBoolean();
      KvOutput output = happens ? execute(input) : null;
      history.add(
          new Operation<>(
              i,
              "c" + plan.client(),
              input,
              plan.unknown() ? null : output,
              plan.called(),
              plan.unknown() ? Operation.NEVER : plan.returned()));
    }
    history.sort(Comparator.comparingLong(Operation::calledAt));
    return history;
  }

  private List<Plan> plans() {
    long[] free = new long[shape.clients()];
    List<Plan> plans = new ArrayList<>();
    for (int i = 0; i < shape.operations(); i++) {
      int client = random.nextInt(shape.clients());
      long called = free[client] + random.nextInt(10);
      long effective = called + random.nextInt(20);
      long returned = effective + random.nextInt(20);
      free[client] = returned + 1;
      boolean unknown = random.nextInt(100) < shape.unknownPercent();
      if (unknown && random.nextInt(4) == 0) {
        effective += random.nextInt(400);
      }
      char kind = shape.kinds().charAt(random.nextInt(shape.kinds().length()));
      plans.add(new Plan(client, kind, called, effective, returned, unknown));
    }
    return plans;
  }

  private KvInput input(char kind) {
    String key = key();
    Row row = rows.get(key);
    return switch (kind) {
      case 'p' -> new KvInput.Put(key, value());
      case 'g' -> new KvInput.Get(key);
      case 'd' -> new KvInput.Delete(key);
      case 'a' -> new KvInput.Append(key, "+" + value());
      case 'c' ->
          random.nextBoolean()
              ? new KvInput.CompareAndSet(key, row == null ? null : row.value(), value())
              : new KvInput.CompareAndSet(key, "s1", value());
      case 't' -> transaction(key, row);
      default -> throw new AssertionError("no such kind: " + kind);
    };
  }

  private KvInput transaction(String key, Row row) {
    String other = key();
    List<Single> reads = List.of(new KvInput.Get(key), new KvInput.Get(other));
    List<Single> writes = List.of(new KvInput.Put(key, value()), new KvInput.Put(other, value()));
    KvCompare.Field field =
        shape.watchful() ? KvCompare.Field.MOD_REVISION : KvCompare.Field.VERSION;
    long number = row == null ? 0 : shape.watchful() ? row.changed() : row.version();
    KvCompare compare =
        KvCompare.number(
            key, field, KvCompare.Relation.EQUAL, random.nextInt(3) == 0 ? number + 1 : number);
    return switch (random.nextInt(3)) {
      case 0 -> new KvInput.Txn(List.of(), reads, List.of());
      case 1 -> new KvInput.Txn(List.of(), writes, List.of());
      default -> new KvInput.Txn(List.of(compare), writes, reads);
    };
  }

  private String key() {
    return "k" + random.nextInt(shape.keys());
  }

  private String value() {
    return random.nextInt(3) == 0 ? "s" + random.nextInt(3) : "v" + values++;
  }

  private KvOutput execute(KvInput input) {
    long before = revision;
    List<Seen> seen = new ArrayList<>();
    Boolean succeeded = null;
    if (input instanceof KvInput.Txn txn) {
      succeeded =
          txn.compares().stream()
              .allMatch(
                  compare -> {
                    Row row = rows.get(compare.key());
                    long changed = row == null ? 0 : row.changed();
                    long version = row == null ? 0 : row.version();
                    return compare.number()
                        == (compare.field() == KvCompare.Field.VERSION ? version : changed);
                  });
      boolean changes = false;
      for (Single single : succeeded ? txn.success() : txn.failure()) {
        changes |= single(single, before + 1, seen);
      }
      revision += changes ? 1 : 0;
    } else {
      Single single = (Single) input;
      boolean changes = single(single, before + 1, seen);
      revision += changes ? 1 : 0;
      boolean conditional =
          single instanceof KvInput.Delete || single instanceof KvInput.CompareAndSet;
      succeeded = conditional ? changes : null;
    }
    return new KvOutput(shape.watchful() ? revision : 0, succeeded, seen);
  }

  private boolean single(Single single, long newRevision, List<Seen> seen) {
    Row row = rows.get(single.key());
    if (single instanceof KvInput.Get) {
      seen.add(seen(row));
      return false;
    }
    if (single instanceof KvInput.Delete) {
      return rows.remove(single.key()) != null;
    }
    String value = null;
    if (single instanceof KvInput.Put put) {
      value = put.value();
    } else if (single instanceof KvInput.Append append) {
      value = row == null ? append.suffix() : row.value() + append.suffix();
    } else if (single instanceof KvInput.CompareAndSet set) {
      String holds = row == null ? null : row.value();
      value = Objects.equals(holds, set.expected()) ? set.value() : null;
    }
    if (value == null) {
      return false;
    }
    long created = row == null ? newRevision : row.created();
    rows.put(
        single.key(), new Row(value, created, newRevision, row == null ? 1 : row.version() + 1));
    return true;
  }

  private Seen seen(Row row) {
    if (row == null) {
      return Seen.ABSENT;
    }
    return shape.watchful()
        ? new Seen(row.value(), row.created(), row.changed(), row.version())
        : Seen.value(row.value());
  }

  /** Other outputs that the operation might have been given, wrong or by chance right. */
  static List<KvOutput> alternatives(Operation<KvInput, KvOutput> operation, Set<String> values) {
    KvOutput output = operation.output();
    List<KvOutput> all = new ArrayList<>();
    if (output.revision() != 0) {
      for (long revision : new long[] {output.revision() - 1, output.revision() + 1}) {
        all.add(new KvOutput(revision, output.succeeded(), output.seen()));
      }
    }
    if (output.succeeded() != null && output.seen().isEmpty()) {
      all.add(new KvOutput(output.revision(), !output.succeeded(), output.seen()));
    }
    for (int i = 0; i < output.seen().size(); i++) {
      Seen was = output.seen().get(i);
      Set<Seen> others = new LinkedHashSet<>(List.of(Seen.ABSENT));
      for (String value : values) {
        others.add(new Seen(value, was.createRevision(), was.modRevision(), was.version()));
      }
      others.remove(was);
      for (Seen other : others) {
        List<Seen> seen = new ArrayList<>(output.seen());
        seen.set(i, other);
        all.add(new KvOutput(output.revision(), output.succeeded(), seen));
      }
    }
    return all;
  }

  /** Every value that the history mentions, and one that it does not. */
  static Set<String> values(List<Operation<KvInput, KvOutput>> history) {
    Set<String> values = new TreeSet<>(Set.of("never"));
    for (Operation<KvInput, KvOutput> operation : history) {
      if (operation.input() instanceof KvInput.Put put) {
        values.add(put.value());
      } else if (operation.input() instanceof KvInput.CompareAndSet set) {
        values.add(set.value());
      }
    }
    return values;
  }
}
