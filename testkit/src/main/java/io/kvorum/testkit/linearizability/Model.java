package io.kvorum.testkit.linearizability;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What an object does when its operations come one after the other.
 *
 * @param <S> its states: immutable, compared by {@code equals} and {@code hashCode}
 * @param <I> what is asked of it
 * @param <O> what it answers
 */
public interface Model<S, I, O> {
  /** The state before the first operation. */
  S initial();

  /**
   * The state after an operation, or null if it cannot give this output in this state.
   *
   * @param output null if unknown: then nothing is ruled out, and the state is what the operation
   *     makes of this one if it takes effect
   */
  @Nullable S step(S state, I input, @Nullable O output);

  /**
   * Whether the operation, given that output, leaves every state in which it is possible as it is.
   * True lets the search place it as soon as it is possible, without looking for alternatives.
   */
  default boolean isReadOnly(I input, @Nullable O output) {
    return false;
  }

  /**
   * Whether the operation may still be possible in this state, or in one that follows from it when
   * some of the operations take effect that may come before it. False lets the search turn back
   * early; true is always right.
   */
  default boolean canStillHappen(S state, I input, O output, Before<I> before) {
    return true;
  }

  /**
   * The operations that may still come before another one.
   *
   * @param <I> what is asked for
   */
  @FunctionalInterface
  interface Before<I> {
    /** Whether one of them is like this. */
    boolean any(Predicate<? super I> like);
  }

  /**
   * Cuts a history into parts that have nothing to do with each other: it is linearizable if each
   * part is (Herlihy and Wing 1990, locality).
   */
  default List<List<Operation<I, O>>> partition(List<Operation<I, O>> history) {
    return List.of(history);
  }

  /**
   * What the operation is like, if its outcome is unknown: of two that are alike, no other
   * operation of the part can tell which took effect, so that only the one called first is tried.
   */
  default Object kind(I input) {
    return input;
  }

  /**
   * Models that allow whatever this one allows, and are easier to decide: a history that violates
   * one of them violates this. They are tried first.
   */
  default List<Model<?, I, O>> relaxations(List<Operation<I, O>> history) {
    return List.of();
  }

  /**
   * The model for a part of a history: it may leave out of its states what no operation of the part
   * looks at, so that more states are equal.
   */
  default Model<S, I, O> fittedTo(List<Operation<I, O>> part) {
    return this;
  }

  /** The operation for a reader, on one line. */
  default String describe(I input, @Nullable O output) {
    return output == null ? input + " → unknown" : input + " → " + output;
  }

  /** What of the state matters to the operation, for a reader, on one line. */
  default String describeState(S state, I input) {
    return String.valueOf(state);
  }
}
