package io.kvorum.api;

/**
 * How to get.
 *
 * @param revision the state as of this revision; 0: now, linearizable
 */
public record GetOptions(long revision) {
  public static final GetOptions DEFAULT = new GetOptions(0);

  /** As of this revision. */
  public GetOptions withRevision(long asOf) {
    return new GetOptions(asOf);
  }
}
