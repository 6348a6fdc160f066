package io.kvorum.server;

import io.kvorum.log.LogConfig;
import io.kvorum.node.DataDirectory;
import io.kvorum.node.Rebuild;
import io.kvorum.server.store.CorruptTablesException;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.TablesHome;
import io.kvorum.snapshot.SnapshotStore;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a node and its snapshots, as a start opens them: after whatever a crash has cut
 * short is finished, and with a snapshot in the place of a state that is lost.
 *
 * @param snapshots belong to the snapshot lane from now on
 * @param store belongs to the caller until a {@link ServingNode} owns it
 */
public record DurableState(SnapshotStore snapshots, KvStateMachine store) {
  private static final Logger LOG = LoggerFactory.getLogger(DurableState.class);

  /**
   * Opens both. The log is opened afterwards, by {@link ServingNode#open}, which refuses a state
   * that the log does not lead on from.
   *
   * @param log how the log is kept
   * @throws io.kvorum.node.DataDirectoryException if a snapshot was being installed that is not
   *     there, or damaged
   */
  public static DurableState open(
      DataDirectory directory,
      TablesHome home,
      StoreOptions options,
      LogConfig log,
      RandomGenerator random) {
    SnapshotStore snapshots = directory.openSnapshots();
    boolean isInstalled = directory.finishInstall(snapshots, log, random, home::replace);
    boolean isMissing = !isInstalled && directory.isReady() && home.isEmpty();
    Opened opened = openSound(directory, home, options);
    KvStateMachine store = opened.store();
    boolean isBehind = directory.isStateBehind(store.restored());
    boolean isRestored = false;
    if (isBehind) {
      store.abandon();
      isRestored = directory.restoreState(snapshots, log, random, home::replace);
      store = KvStateMachine.open(home, options);
    }
    if (isMissing && !opened.isAside()) {
      LOG.warn("{} is empty, though a node has run here", directory.stateDirectory().location());
    }
    if (isMissing || opened.isAside() || isBehind) {
      LOG.warn(
          "{} is built anew from {}",
          directory.stateDirectory().location(),
          !isBehind || isRestored
              ? new Rebuild(store.restored())
              : "a snapshot of the leader: neither snapshot nor log suffice here");
    }
    return new DurableState(snapshots, store);
  }

  private record Opened(KvStateMachine store, boolean isAside) {}

  /** Tables that are damaged hold nothing that others do not: snapshot, log, or the leader. */
  private static Opened openSound(DataDirectory directory, TablesHome home, StoreOptions options) {
    try {
      return new Opened(KvStateMachine.open(home, options), false);
    } catch (CorruptTablesException damaged) {
      String place = directory.setStateAside();
      LOG.warn("the state is damaged, and is kept in {}: {}", place, damaged.getMessage());
      return new Opened(KvStateMachine.open(home, options), true);
    }
  }
}
