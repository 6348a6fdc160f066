package io.kvorum.node;

/**
 * A committed entry cannot be applied to a state: by the entries before it, the state would be
 * another one. Either the state is wrong, or the code that applies is, and then so on every member.
 * Which of the two is shown by a majority that agrees on a state behind this entry.
 *
 * @param foundIndex the entry, which has not been applied
 * @param why the promise that did not hold
 */
public record Contradiction(long foundIndex, String why) implements StateFinding {
  @Override
  public long checkIndex() {
    return foundIndex;
  }

  @Override
  public String toString() {
    return "its state contradicts the log at entry " + foundIndex + ": " + why;
  }
}
