package io.kvorum.examples;

import org.jspecify.annotations.Nullable;

/** A room for one at a time: notices, at the very instant, when two are in it. */
final class Room {
  private @Nullable String inside;
  private @Nullable String crowded;
  private int visits;

  void enter(String name) {
    if (inside != null && crowded == null) {
      crowded = name + " comes in while " + inside + " is inside, at visit " + visits;
    }
    inside = name;
  }

  void leave(String name) {
    if (name.equals(inside)) {
      inside = null;
    }
    visits++;
  }

  /**
   * How many have come and gone.
   *
   * @throws AssertionError if ever two were inside
   */
  int visits() {
    if (crowded != null) {
      throw new AssertionError(crowded);
    }
    return visits;
  }
}
