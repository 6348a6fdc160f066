package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the search for an order ended: the longest order found, and what could not follow it.
 *
 * @param operations those of the part of the history that has no order, in order of call
 * @param order what the longest order holds, as indexes into {@code operations}
 * @param stuck the operation that has no place: of those in flight the first to return, or one that
 *     nothing in flight can make possible any more
 * @param pending what was in flight where the order ends, the stuck one too
 */
public record Failure(List<Row> operations, List<Integer> order, int stuck, List<Pending> pending) {
  /** The last operations of the order that a text shows. */
  private static final int SHOWN_MAX = 12;

  /** The most of what is in flight that a text shows. */
  private static final int PENDING_MAX = 24;

  public Failure {
    operations = List.copyOf(operations);
    order = List.copyOf(order);
    pending = List.copyOf(pending);
  }

  /**
   * An operation, described.
   *
   * @param returnedAt {@link Operation#NEVER} if its outcome is unknown
   */
  public record Row(String process, String text, long calledAt, long returnedAt) {
    boolean isUnknown() {
      return returnedAt == Operation.NEVER;
    }

    @Override
    public String toString() {
      String until = isUnknown() ? "…" : "–" + returnedAt;
      return process + ": " + text + "   [" + calledAt + until + "]";
    }
  }

  /**
   * An operation in flight.
   *
   * @param operation its index
   * @param state what of the state, where the order ends, matters to it
   * @param possible whether it could come next; then what follows from it led nowhere
   */
  public record Pending(int operation, String state, boolean possible) {
    String reason() {
      return possible ? "possible, but leads nowhere" : "not possible";
    }
  }

  /** What a failure is put together from. */
  static final class Parts<I, O> {
    private final List<Row> operations = new ArrayList<>();
    private final Map<Operation<I, O>, Integer> rows = new HashMap<>();
    final List<Integer> order = new ArrayList<>();
    final List<Pending> pending = new ArrayList<>();

    void add(Operation<I, O> operation, String text) {
      rows.put(operation, operations.size());
      operations.add(
          new Row(operation.process(), text, operation.calledAt(), operation.returnedAt()));
    }

    int row(Operation<I, O> operation) {
      Integer row = rows.get(operation);
      if (row == null) {
        throw new AssertionError("no operation of this history: " + operation);
      }
      return row;
    }

    Failure failure(Operation<I, O> stuck) {
      return new Failure(operations, order, row(stuck), pending);
    }
  }

  /** The operation that has no place. */
  public Row stuckOperation() {
    return operations.get(stuck);
  }

  /** What the state was, where the order ends, as far as it matters to the stuck operation. */
  public String state() {
    return pending.stream()
        .filter(candidate -> candidate.operation() == stuck)
        .map(Pending::state)
        .findFirst()
        .orElseThrow();
  }

  /** All of this for a reader, on several lines. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append("  ").append(stuckOperation()).append('\n');
    text.append("has no place. The state there: ").append(state()).append('\n');
    text.append("The longest order holds ").append(order.size()).append(" of ");
    text.append(operations.size()).append(" operations and ends with\n");
    int skipped = Math.max(0, order.size() - SHOWN_MAX);
    text.append(skipped == 0 ? "" : "  … " + skipped + " before\n");
    for (int i = skipped; i < order.size(); i++) {
      text.append("  ").append(operations.get(order.get(i))).append('\n');
    }
    text.append("In flight there\n");
    for (Pending candidate : pending.subList(0, Math.min(PENDING_MAX, pending.size()))) {
      text.append("  ").append(operations.get(candidate.operation())).append('\n');
      text.append("    ").append(candidate.reason()).append(": ");
      text.append(candidate.state()).append('\n');
    }
    int more = pending.size() - PENDING_MAX;
    text.append(more > 0 ? "  … " + more + " more of unknown outcome\n" : "");
    return text.toString();
  }
}
