package io.kvorum.server;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.disk.WriteMode;
import io.kvorum.log.CorruptLogException;
import io.kvorum.log.LogConfig;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.node.DirectoryReport;
import io.kvorum.node.Recovery;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.NodeId;
import io.kvorum.server.inspect.StateLook;
import io.kvorum.server.store.StoreLimits;
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
   * of that cluster. Every row of the state is read before; one that is damaged is built anew, as a
   * start would do it.
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
      Recovery.Report found = recovery.inspect(new Files(disk));
      LogConfig log =
          LogConfig.DEFAULT
              .withSegmentBytes(SEGMENT_BYTES)
              .withEntryBytesMax(StoreLimits.COMMAND_BYTES_MAX);
      return new Outcome(found, newClusterId != null && recovery.recover(log, newClusterId));
    } catch (CorruptLogException damaged) {
      throw new DataDirectoryException(String.valueOf(damaged.getMessage()));
    }
  }

  /** As servers keep a state. */
  private record Files(Disk dataDirectory) implements Recovery.StateFiles {
    @Override
    public Recovery.FoundState read() {
      StateLook found = StateLook.at(dataDirectory);
      return new Recovery.FoundState(
          found.applied(),
          found.membership(),
          found.problem(),
          found.condition() == StateLook.Condition.REFUSED);
    }

    @Override
    public @Nullable String problem(Disk snapshot) {
      return StateLook.problem(snapshot);
    }

    @Override
    public void replace(Disk snapshot) {
      Disk state = DirectoryReport.state(dataDirectory);
      if (state == null) {
        throw new InvariantViolation("there is a directory for the state");
      }
      RocksHome.in(state, RocksSettings.DEFAULT).replace(snapshot);
    }
  }
}
