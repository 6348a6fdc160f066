package io.kvorum.api;

/**
 * How to get.
 *
 * @param revision the state as of this revision; 0: now
 * @param consistency what the answer may rest on
 */
public record GetOptions(long revision, ReadConsistency consistency) {
  public static final GetOptions DEFAULT = new GetOptions(0, ReadConsistency.LINEARIZABLE);

  /** As of this revision. */
  public GetOptions withRevision(long asOf) {
    return new GetOptions(asOf, consistency);
  }

  public GetOptions withConsistency(ReadConsistency restsOn) {
    return new GetOptions(revision, restsOn);
  }
}
