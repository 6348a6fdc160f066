package io.kvorum.simulator.world;

import io.kvorum.disk.Disk;
import io.kvorum.log.LogConfig;
import io.kvorum.node.DataDirectory;
import io.kvorum.node.Lane;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.node.SnapshotPorts;
import io.kvorum.server.DurableState;
import io.kvorum.server.ServingPorts;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.Tables;
import io.kvorum.server.store.TablesHome;
import io.kvorum.simulator.plan.Snapshotting;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.snapshot.SnapshotStore;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What a process finds of its state, with snapshots or, in a run that has none, without.
 *
 * @param isReplaced whether a snapshot has become the state while it was opened
 */
record StoredState(KvStateMachine store, @Nullable SnapshotStore snapshots, boolean isReplaced) {
  /** As fast as the network is: what is sent at once is bounded by the requests. */
  private static final long BYTES_PER_SECOND = 1 << 20;

  /** Small steps of a removal often find more, and small removals less. */
  private static final int REMOVAL_ROWS = 150;

  static StoredState open(
      Machine machine, DataDirectory directory, LogConfig log, SplittableRandom random) {
    Tuning tuning = machine.world().options().tuning();
    StoreOptions options =
        StoreOptions.DEFAULT
            .withOverlay(tuning.overlayRows(), 1 << 20)
            .withRemovalRows(REMOVAL_ROWS)
            .withCheckEntries(tuning.snapshots().checkEntries());
    if (!tuning.snapshots().isOn() || !machine.tables().takesSnapshots()) {
      return new StoredState(KvStateMachine.open(machine.tables(), options), null, false);
    }
    NotedHome home = new NotedHome(machine.tables());
    DurableState opened = DurableState.open(directory, home, options, log, random.split());
    return new StoredState(opened.store(), opened.snapshots(), home.isReplaced);
  }

  ServingPorts.@Nullable Snapshots ports(
      DataDirectory directory, Snapshotting settings, Lane lane) {
    SnapshotStore store = snapshots;
    if (store == null) {
      return null;
    }
    SnapshotConfig config =
        SnapshotConfig.NEVER
            .withLogBytes(settings.logBytes())
            .withLogBounds(settings.keptLogBytes(), settings.logBudgetBytes())
            .withChunkBytes(settings.chunkBytes())
            .withSendBytesPerSecond(BYTES_PER_SECOND)
            .withCount(settings.count());
    return new ServingPorts.Snapshots(
        config,
        new SnapshotPorts(lane, store, directory.installMark(), directory.quarantineMark()));
  }

  /** A home that remembers whether its tables were replaced. */
  private static final class NotedHome implements TablesHome {
    private final TablesHome home;
    private boolean isReplaced;

    NotedHome(TablesHome home) {
      this.home = home;
    }

    @Override
    public Tables open() {
      return home.open();
    }

    @Override
    public void replace(Disk files) {
      home.replace(files);
      isReplaced = true;
    }

    @Override
    public TableSnapshot peek(Disk files) {
      return home.peek(files);
    }
  }
}
