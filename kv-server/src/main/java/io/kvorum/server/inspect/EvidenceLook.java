package io.kvorum.server.inspect;

import io.kvorum.disk.Disk;
import io.kvorum.node.DirectoryReport;
import io.kvorum.server.store.StateDifference;
import io.kvorum.server.store.TableSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * What was wrong with a state that a node has kept when it was quarantined: the keys that another
 * node's state has otherwise, and had so when the wrong one stopped.
 */
public final class EvidenceLook {
  private static final int ROWS_MAX = 20;

  private EvidenceLook() {}

  /**
   * Compares the two, and changes nothing in them.
   *
   * @param wrong the data directory that has the evidence
   * @param right the data directory of a node that was not quarantined
   * @return null if one of the two states is not there
   * @throws java.io.UncheckedIOException if one of them is damaged
   */
  public static @Nullable StateDifference between(Quiet wrong, Quiet right) {
    Disk evidence = DirectoryReport.evidence(wrong.disk());
    Disk state = DirectoryReport.state(right.disk());
    if (evidence == null || state == null) {
      return null;
    }
    try (TableSnapshot one = StateLook.peek(evidence);
        TableSnapshot other = StateLook.peek(state)) {
      return StateDifference.sinceStopped(one, other, ROWS_MAX);
    }
  }
}
