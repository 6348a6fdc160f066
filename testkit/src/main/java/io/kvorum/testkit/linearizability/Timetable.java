package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Calls and returns in the order in which they happened, and which of them are still to be placed:
 * a doubly linked list of events, from which an operation can be taken and put back in constant
 * time, in reverse order of taking (Wing and Gong 1993; Horn and Kroening 2015).
 *
 * <p>Operations whose outcome is unknown never return, so they would stay in front of that list for
 * ever; they are kept apart. Events of the same time may have happened in any order, so calls come
 * first: then the operations overlap, and either may take effect before the other.
 */
final class Timetable<I, O> {
  private record Event(long at, boolean isReturn, boolean isUnknown, int operation) {}

  private static final Comparator<Event> ORDER =
      Comparator.comparingLong(Event::at)
          .thenComparing(Event::isReturn)
          .thenComparing(Event::isUnknown)
          .thenComparing(Event::operation);

  private final List<Operation<I, O>> known = new ArrayList<>();
  private final List<Operation<I, O>> unknown = new ArrayList<>();
  private final int[] calls;
  private final int[] returns;
  private final int[] unknownCalls;

  /** By position, from 1; position 0 is the head of the list, and the one after the last. */
  private final int[] operationAt;

  private final int[] next;
  private final int[] previous;
  private int left;

  Timetable(List<Operation<I, O>> operations) {
    for (Operation<I, O> operation : operations) {
      (operation.isUnknown() ? unknown : known).add(operation);
    }
    Comparator<Operation<I, O>> byCall =
        Comparator.<Operation<I, O>>comparingLong(Operation::calledAt)
            .thenComparingLong(Operation::id);
    known.sort(byCall);
    unknown.sort(byCall);
    calls = new int[known.size()];
    returns = new int[known.size()];
    unknownCalls = new int[unknown.size()];
    List<Event> events = events();
    operationAt = new int[events.size() + 1];
    next = new int[events.size() + 1];
    previous = new int[events.size() + 1];
    link(events);
    left = known.size();
  }

  private List<Event> events() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < known.size(); i++) {
      events.add(new Event(known.get(i).calledAt(), false, false, i));
      events.add(new Event(known.get(i).returnedAt(), true, false, i));
    }
    for (int i = 0; i < unknown.size(); i++) {
      events.add(new Event(unknown.get(i).calledAt(), false, true, i));
    }
    events.sort(ORDER);
    return events;
  }

  private void link(List<Event> events) {
    int last = 0;
    for (int position = 1; position <= events.size(); position++) {
      Event event = events.get(position - 1);
      if (event.isUnknown()) {
        unknownCalls[event.operation()] = position;
        continue;
      }
      (event.isReturn() ? returns : calls)[event.operation()] = position;
      operationAt[position] = event.operation();
      next[last] = position;
      previous[position] = last;
      last = position;
    }
    next[last] = 0;
    previous[0] = last;
  }

  /** All of them, in order of call. */
  List<Operation<I, O>> operations() {
    List<Operation<I, O>> all = new ArrayList<>(known);
    all.addAll(unknown);
    all.sort(Comparator.comparingLong(Operation::calledAt));
    return all;
  }

  Operation<I, O> known(int index) {
    return known.get(index);
  }

  Operation<I, O> unknown(int index) {
    return unknown.get(index);
  }

  int unknownCount() {
    return unknown.size();
  }

  /** How many operations of known outcome are not placed. */
  int left() {
    return left;
  }

  /**
   * The operations of known outcome that may come next, in order of call: those called before any
   * that is not placed has returned.
   */
  int[] open() {
    int[] open = new int[4];
    int size = 0;
    for (int at = next[0]; at != 0 && calls[operationAt[at]] == at; at = next[at]) {
      if (size == open.length) {
        open = Arrays.copyOf(open, 2 * size);
      }
      open[size++] = operationAt[at];
    }
    return Arrays.copyOf(open, size);
  }

  /**
   * Which operation of known outcome must be placed before anything behind its return: the first
   * one to return. There must be one left.
   */
  int mostUrgent() {
    int at = next[0];
    while (calls[operationAt[at]] == at) {
      at = next[at];
    }
    return operationAt[at];
  }

  /**
   * How many operations of unknown outcome were called before this one of known outcome returned.
   */
  int unknownBeforeReturn(int index) {
    int found = Arrays.binarySearch(unknownCalls, returns[index]);
    return -found - 1;
  }

  /** Whether one like this is not placed, of those of known outcome called before this returned. */
  boolean anyKnownBeforeReturn(int index, Predicate<Operation<I, O>> like) {
    for (int at = next[0]; at != returns[index]; at = next[at]) {
      int other = operationAt[at];
      if (other != index && calls[other] == at && like.test(known.get(other))) {
        return true;
      }
    }
    return false;
  }

  void place(int index) {
    unlink(calls[index]);
    unlink(returns[index]);
    left--;
  }

  /** Only the operation placed last, of those that are. */
  void takeBack(int index) {
    relink(returns[index]);
    relink(calls[index]);
    left++;
  }

  private void unlink(int position) {
    next[previous[position]] = next[position];
    previous[next[position]] = previous[position];
  }

  private void relink(int position) {
    next[previous[position]] = position;
    previous[next[position]] = position;
  }
}
