package io.kvorum.server;

import io.kvorum.disk.RealDisk;
import io.kvorum.disk.WriteMode;
import io.kvorum.log.CorruptLogException;
import io.kvorum.log.LogConfig;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.node.Recovery;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.StoreLimits;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** {@link Recovery} of a server's data directory, while no node runs on it. */
public final class NodeRecovery {
  /** A segment that is begun here need not be large. */
  private static final int SEGMENT_BYTES = 8 << 20;

  private NodeRecovery() {}

  /**
   * What was found, and whether anything was changed.
   *
   * @param changed false also when the recovery had been done before
   */
  public record Outcome(Recovery.Report found, boolean changed) {}

  /**
   * Says what a directory holds, and if it is told a new cluster id makes its node the only member
   * of that cluster.
   *
   * @param newClusterId null: only look
   * @throws io.kvorum.disk.DirectoryInUseException if a node runs on it
   * @throws DataDirectoryException if it is another node's, lacks a part or is damaged, or the new
   *     id is not new
   * @throws java.io.UncheckedIOException if the disk fails
   */
  public static Outcome run(Path dataDirectory, NodeId node, @Nullable String newClusterId) {
    RealDisk disk = RealDisk.at(dataDirectory, WriteMode.CHANNEL);
    SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
    try (Recovery recovery = Recovery.open(disk, node, random)) {
      KvStateMachine machine =
          KvStateMachine.open(
              RocksHome.in(recovery.stateDirectory(), RocksSettings.DEFAULT), StoreOptions.DEFAULT);
      EntryId applied;
      Membership restored;
      try {
        applied = machine.restored();
        restored = machine.membership();
      } finally {
        machine.abandon();
      }
      LogConfig log =
          LogConfig.DEFAULT
              .withSegmentBytes(SEGMENT_BYTES)
              .withEntryBytesMax(StoreLimits.COMMAND_BYTES_MAX);
      Recovery.Report found = recovery.inspect(log, applied, restored);
      return new Outcome(found, newClusterId != null && recovery.recover(newClusterId));
    } catch (CorruptLogException damaged) {
      throw new DataDirectoryException(String.valueOf(damaged.getMessage()));
    }
  }
}
