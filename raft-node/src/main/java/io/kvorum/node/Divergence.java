package io.kvorum.node;

/**
 * The evidence that a member holds another state than the majority.
 *
 * @param verdictIndex the entry that said so, which was the last one applied
 * @param own what the state of this member summed up to
 * @param agreed what that of the majority did, behind the same entry
 */
public record Divergence(long verdictIndex, StateSum own, StateSum agreed) implements StateFinding {
  public Divergence {
    if (verdictIndex <= own.index() || !own.contradicts(agreed)) {
      throw new IllegalArgumentException(
          own + " and " + agreed + " do not show at " + verdictIndex + " that a state is wrong");
    }
  }

  @Override
  public long foundIndex() {
    return verdictIndex;
  }

  @Override
  public long checkIndex() {
    return own.index();
  }

  @Override
  public String toString() {
    return "its state behind entry "
        + own.index()
        + " has hash "
        + own.hash()
        + ", that of a majority "
        + agreed.hash();
  }
}
