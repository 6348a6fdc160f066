package io.kvorum.api;

/**
 * How to compact.
 *
 * @param physical whether to wait until the asked node has removed what is not needed any more;
 *     otherwise that happens in the background
 */
public record CompactOptions(boolean physical) {
  public static final CompactOptions DEFAULT = new CompactOptions(false);

  /** With the removal waited for. */
  public CompactOptions withPhysical() {
    return new CompactOptions(true);
  }
}
