package io.kvorum.cli.demo;

/**
 * What the demonstration showed.
 *
 * @param records characters that were to be written
 * @param acknowledged writes that a majority held on disk, counters included
 * @param lost acknowledged, and not there any more
 * @param stale reads that returned an older value than the last one acknowledged
 * @param wrong values that nobody can have written
 * @param failoverMillis the longest time without a successful write around the leader's death
 * @param putsPerSecond while the characters were loaded
 */
public record DemoResult(
    long records,
    long acknowledged,
    long lost,
    long stale,
    long wrong,
    long failoverMillis,
    long putsPerSecond) {

  /** Whether every promise was kept. */
  public boolean isOk() {
    return lost == 0 && stale == 0 && wrong == 0;
  }

  /** The last line of the demonstration. */
  public String line() {
    return "demo: "
        + (isOk() ? "OK" : "FAILED")
        + (" records=" + records)
        + (" acknowledged=" + acknowledged)
        + (" lost=" + lost)
        + (" stale=" + stale)
        + (wrong == 0 ? "" : " wrong=" + wrong)
        + (" failover_ms=" + failoverMillis)
        + (" puts_per_s=" + putsPerSecond);
  }
}
