package io.kvorum.server.inspect;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.disk.WriteMode;
import io.kvorum.node.DirectoryReport;
import io.kvorum.server.store.StateDifference;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.server.store.rocks.RocksTables;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What was wrong with a state that a node has kept when it was quarantined: the keys that another
 * node's state has otherwise, and had so when the wrong one stopped.
 */
public final class EvidenceLook {
  private static final int ROWS_MAX = 20;
  private static final RocksSettings SMALL = RocksSettings.DEFAULT.withBlockCacheBytes(8 << 20);

  private EvidenceLook() {}

  /**
   * Compares the two, and changes nothing in them.
   *
   * @param wrong the data directory that has the evidence
   * @param right the data directory of a node that was not quarantined
   * @param scratch an empty directory elsewhere, for RocksDB
   * @return null if one of the two states is not there
   * @throws java.io.UncheckedIOException if one of them is damaged
   */
  public static @Nullable StateDifference between(Quiet wrong, Quiet right, Path scratch) {
    Disk evidence = DirectoryReport.evidence(wrong.disk());
    Disk state = DirectoryReport.state(right.disk());
    if (!(evidence instanceof RealDisk stopped) || !(state instanceof RealDisk later)) {
      return null;
    }
    RealDisk aside = RealDisk.at(scratch, WriteMode.CHANNEL);
    RocksTables one = RocksTables.look(stopped, (RealDisk) aside.directory("one"), SMALL);
    try {
      RocksTables other = RocksTables.look(later, (RealDisk) aside.directory("other"), SMALL);
      try {
        return StateDifference.sinceStopped(one, other, ROWS_MAX);
      } finally {
        other.close();
      }
    } finally {
      one.close();
    }
  }
}
