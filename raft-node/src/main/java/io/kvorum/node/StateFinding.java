package io.kvorum.node;

/**
 * Why a state counts as wrong: it is applied to no more, and another one has to take its place
 * (docs/adr/0014).
 */
public sealed interface StateFinding permits Divergence, Contradiction {
  /** The entry that has shown it: a state that replaces this one holds more. */
  long foundIndex();

  /** The state of whoever gives another one was found right behind a check here, or later. */
  long checkIndex();
}
