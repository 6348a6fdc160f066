package io.kvorum.api;

/**
 * How to read a range.
 *
 * @param limit the most keys to return; 0: as many as one answer holds
 * @param revision the state as of this revision; 0: now
 * @param reverse from the last key to the first; the limit counts from the last
 * @param keysOnly leave the values out
 * @param countOnly leave the keys out too
 * @param consistency what the answer may rest on
 */
public record RangeOptions(
    long limit,
    long revision,
    boolean reverse,
    boolean keysOnly,
    boolean countOnly,
    ReadConsistency consistency) {
  public static final RangeOptions DEFAULT =
      new RangeOptions(0, 0, false, false, false, ReadConsistency.LINEARIZABLE);

  public RangeOptions withLimit(long most) {
    return new RangeOptions(most, revision, reverse, keysOnly, countOnly, consistency);
  }

  public RangeOptions withRevision(long asOf) {
    return new RangeOptions(limit, asOf, reverse, keysOnly, countOnly, consistency);
  }

  public RangeOptions withReverse() {
    return new RangeOptions(limit, revision, true, keysOnly, countOnly, consistency);
  }

  public RangeOptions withKeysOnly() {
    return new RangeOptions(limit, revision, reverse, true, countOnly, consistency);
  }

  public RangeOptions withCountOnly() {
    return new RangeOptions(limit, revision, reverse, keysOnly, true, consistency);
  }

  public RangeOptions withConsistency(ReadConsistency restsOn) {
    return new RangeOptions(limit, revision, reverse, keysOnly, countOnly, restsOn);
  }
}
