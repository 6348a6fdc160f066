package io.kvorum.testkit.linearizability;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of the operations of one part of a history: depth first, over what may come
 * next, and never twice through the same configuration (Wing and Gong 1993, Lowe 2017).
 *
 * <p>Some rules keep it small. Each of them leaves an order to be found if there is one.
 *
 * <ul>
 *   <li>A read that is possible now is placed now, and nothing else is tried: wherever it stands in
 *       some order, it can be moved here.
 *   <li>An operation of unknown outcome is placed only right before one that needs it. If the
 *       operation behind it is possible without, and leads to the same state, the unknown one need
 *       not have happened yet: then that order is found elsewhere. So writes that nobody observed
 *       are never placed, and few are tried where nothing is stuck.
 *   <li>Of several operations of unknown outcome that nobody can tell apart, the one called first
 *       is tried: whenever another one may take effect, so may that.
 *   <li>What the model says can never happen any more ends the branch.
 * </ul>
 */
final class Search<S, I, O> {
  private static final int NONE = -1;

  private final Model<S, I, O> model;
  private final Timetable<I, O> timetable;
  private final Configurations<S> seen = new Configurations<>();

  /** For each operation of unknown outcome the last one before it that is alike. */
  private final int[] twins;

  private final long configurationsMax;
  private long configurations;
  private Node longest;
  private int longestLeft;

  /** What can happen in no order; found only where the search was too long. */
  private int impossible = NONE;

  Search(Model<S, I, O> model, List<Operation<I, O>> operations, long configurationsMax) {
    this.model = model;
    this.configurationsMax = configurationsMax;
    List<Operation<I, O>> useful = new ArrayList<>(operations);
    // What nobody saw and what changes nothing says nothing.
    useful.removeIf(
        operation -> operation.isUnknown() && model.isReadOnly(operation.input(), null));
    timetable = new Timetable<>(useful);
    twins = twins();
    longest = new Node(null, new Chain<>(model.initial(), IndexSet.EMPTY, new int[0]), NONE);
    longestLeft = timetable.left();
  }

  private int[] twins() {
    int[] before = new int[timetable.unknownCount()];
    Map<Object, Integer> last = new HashMap<>();
    for (int i = 0; i < before.length; i++) {
      Integer twin = last.put(model.kind(timetable.unknown(i).input()), i);
      before[i] = twin == null ? NONE : twin;
    }
    return before;
  }

  /** Operations of unknown outcome, placed one after the other, and where they lead. */
  private static final class Chain<S> {
    private final S state;

    /** All that were placed, these and those before. */
    private final long[] taken;

    private final int[] unknown;

    Chain(S state, long[] taken, int[] unknown) {
      this.state = state;
      this.taken = taken;
      this.unknown = unknown;
    }

    S state() {
      return state;
    }

    long[] taken() {
      return taken;
    }

    /** In the order in which they take effect. */
    int[] unknown() {
      return unknown;
    }
  }

  /** An operation placed: behind which node, after which unknown ones. */
  private final class Node {
    final @Nullable Node parent;
    final Chain<S> before;
    final int placed;

    /** What may come next, most urgent last to return; empty when all are placed. */
    final int[] open = timetable.open();

    final int urgent;
    final List<Chain<S>> chains = new ArrayList<>(1);
    @Nullable Map<S, List<long[]>> tried;
    int read = NONE;

    /** What can never happen behind this node. */
    int culprit = NONE;

    int chain;
    int candidate;

    /**
     * @param reached the state here, and all unknown operations placed so far
     */
    Node(@Nullable Node parent, Chain<S> reached, int placed) {
      this(parent, reached, reached, placed);
    }

    Node(@Nullable Node parent, Chain<S> before, Chain<S> reached, int placed) {
      this.parent = parent;
      this.before = before;
      this.placed = placed;
      urgent = open.length == 0 ? NONE : timetable.mostUrgent();
      chains.add(reached);
    }

    S state() {
      return chains.get(0).state();
    }

    /** Looks for a read that is possible here: then it is all that is tried. */
    void preferReads() {
      for (int i = 0; i < open.length && read == NONE; i++) {
        Operation<I, O> operation = timetable.known(open[i]);
        if (model.isReadOnly(operation.input(), operation.output())
            && state().equals(step(state(), operation))) {
          read = open[i];
        }
      }
    }

    /** An operation that will not be possible any more, whatever else is placed; or none. */
    int hopeless(S state, long[] taken) {
      for (int index : open) {
        if (isHopeless(index, state, taken)) {
          return index;
        }
      }
      return NONE;
    }

    /** The next node below this one that is worth a look; null when there is none left. */
    @Nullable Node next() {
      if (read != NONE) {
        return candidate++ == 0 ? below(chains.get(0), read, state()) : null;
      }
      while (chain < chains.size() && !isSpent()) {
        Chain<S> unknown = chains.get(chain);
        while (candidate < open.length) {
          int index = open[candidate++];
          S after = step(unknown.state(), timetable.known(index));
          if (after != null && needsAll(unknown, index, after)) {
            return below(unknown, index, after);
          }
        }
        candidate = 0;
        chain++;
        extend(unknown);
      }
      return null;
    }

    private Node below(Chain<S> unknown, int index, S after) {
      timetable.place(index);
      return new Node(this, unknown, new Chain<>(after, unknown.taken(), new int[0]), index);
    }

    /** The shorter chains have failed: those that are one longer come after them. */
    private void extend(Chain<S> shorter) {
      int called = timetable.unknownBeforeReturn(urgent);
      for (int index = called - 1; index >= 0 && !isSpent(); index--) {
        if (IndexSet.contains(shorter.taken(), index) || hasTwinLeft(shorter.taken(), index)) {
          continue;
        }
        S after = step(shorter.state(), timetable.unknown(index));
        configurations++;
        long[] taken = IndexSet.with(shorter.taken(), index);
        if (after != null && isNew(after, taken) && hopeless(after, taken) == NONE) {
          int[] longer = Arrays.copyOf(shorter.unknown(), shorter.unknown().length + 1);
          longer[shorter.unknown().length] = index;
          chains.add(new Chain<>(after, taken, longer));
        }
      }
    }

    private boolean hasTwinLeft(long[] taken, int index) {
      return twins[index] != NONE && !IndexSet.contains(taken, twins[index]);
    }

    private boolean isNew(S state, long[] taken) {
      if (tried == null) {
        tried = new HashMap<>();
        tried.put(state(), new ArrayList<>(List.of(chains.get(0).taken())));
      }
      List<long[]> before = tried.computeIfAbsent(state, none -> new ArrayList<>(1));
      for (long[] set : before) {
        if (IndexSet.isSubset(set, taken)) {
          return false;
        }
      }
      before.add(taken);
      return true;
    }

    /** Whether the operation could not come just as well before, or without, one of the chain. */
    private boolean needsAll(Chain<S> unknown, int index, S after) {
      for (int without = 0; without < unknown.unknown().length; without++) {
        S direct = stepWithout(unknown, without, index);
        if (direct == null) {
          continue;
        }
        int spared = unknown.unknown()[without];
        if (direct.equals(after) || after.equals(step(direct, timetable.unknown(spared)))) {
          return false;
        }
      }
      return true;
    }

    private @Nullable S stepWithout(Chain<S> unknown, int without, int index) {
      S at = state();
      for (int i = 0; i < unknown.unknown().length && at != null; i++) {
        at = i == without ? at : step(at, timetable.unknown(unknown.unknown()[i]));
      }
      return at == null ? null : step(at, timetable.known(index));
    }
  }

  private @Nullable S step(S state, Operation<I, O> operation) {
    return model.step(state, operation.input(), operation.output());
  }

  private boolean anyBefore(int index, long[] taken, Predicate<? super I> like) {
    if (timetable.anyKnownBeforeReturn(index, other -> like.test(other.input()))) {
      return true;
    }
    for (int i = timetable.unknownBeforeReturn(index) - 1; i >= 0; i--) {
      if (!IndexSet.contains(taken, i) && like.test(timetable.unknown(i).input())) {
        return true;
      }
    }
    return false;
  }

  private static <I, O> O output(Operation<I, O> known) {
    O output = known.output();
    if (output == null) {
      throw new AssertionError("unknown operations are kept apart: " + known);
    }
    return output;
  }

  private boolean isSpent() {
    return configurations > configurationsMax;
  }

  /** How many configurations were looked at; more than the bound if it did not suffice. */
  long configurations() {
    return configurations;
  }

  Verdict.Outcome run() {
    ArrayDeque<Node> path = new ArrayDeque<>();
    path.push(longest);
    longest.preferReads();
    while (!path.isEmpty() && !isSpent()) {
      Node at = path.element();
      if (at.open.length == 0) {
        return Verdict.Outcome.LINEARIZABLE;
      }
      Node next = at.next();
      if (next == null) {
        path.pop();
        if (at.placed != NONE) {
          timetable.takeBack(at.placed);
        }
      } else {
        enter(next, path);
      }
    }
    if (!isSpent()) {
      return Verdict.Outcome.VIOLATION;
    }
    for (Node at : path) {
      if (at.placed != NONE) {
        timetable.takeBack(at.placed);
      }
    }
    return isAnyImpossible() ? Verdict.Outcome.VIOLATION : Verdict.Outcome.UNDECIDED;
  }

  /**
   * Whether there is an operation that nothing makes possible, whatever comes before it: then no
   * order has to be looked for. All are to be placed when this is asked.
   */
  private boolean isAnyImpossible() {
    for (int index = 0; index < timetable.left() && impossible == NONE; index++) {
      if (isHopeless(index, model.initial(), IndexSet.EMPTY)) {
        impossible = index;
      }
    }
    return impossible != NONE;
  }

  private boolean isHopeless(int index, S state, long[] taken) {
    Operation<I, O> operation = timetable.known(index);
    Model.Before<I> before = like -> anyBefore(index, taken, like);
    return !model.canStillHappen(state, operation.input(), output(operation), before);
  }

  private void enter(Node next, ArrayDeque<Node> path) {
    configurations++;
    if (timetable.left() < longestLeft) {
      longestLeft = timetable.left();
      longest = next;
    }
    Chain<S> reached = next.chains.get(0);
    next.culprit = next.hopeless(reached.state(), reached.taken());
    if (next.culprit != NONE
        || !seen.add(next.open, next.urgent, reached.state(), reached.taken())) {
      timetable.takeBack(next.placed);
      return;
    }
    next.preferReads();
    path.push(next);
  }

  /** The longest order found, and why nothing follows it. */
  Failure failure() {
    Failure.Parts<I, O> parts = new Failure.Parts<>();
    for (Operation<I, O> operation : timetable.operations()) {
      parts.add(operation, model.describe(operation.input(), operation.output()));
    }
    for (Node at = longest; at.parent != null; at = at.parent) {
      parts.order.add(parts.row(timetable.known(at.placed)));
      for (int i = at.before.unknown().length - 1; i >= 0; i--) {
        parts.order.add(parts.row(timetable.unknown(at.before.unknown()[i])));
      }
    }
    Collections.reverse(parts.order);
    for (int index : longest.open) {
      addPending(timetable.known(index), parts);
    }
    long[] taken = longest.chains.get(0).taken();
    for (int i = 0; i < timetable.unknownBeforeReturn(longest.urgent); i++) {
      if (!IndexSet.contains(taken, i)) {
        addPending(timetable.unknown(i), parts);
      }
    }
    return parts.failure(timetable.known(stuck()));
  }

  private int stuck() {
    if (impossible != NONE) {
      return impossible;
    }
    return longest.culprit == NONE ? longest.urgent : longest.culprit;
  }

  private void addPending(Operation<I, O> operation, Failure.Parts<I, O> parts) {
    S state = longest.state();
    boolean possible = step(state, operation) != null;
    String held = model.describeState(state, operation.input());
    parts.pending.add(new Failure.Pending(parts.row(operation), held, possible));
  }
}
