package io.kvorum.server.backup;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskLock;
import io.kvorum.log.ArchivedEntries;
import io.kvorum.log.LogConfig;
import io.kvorum.node.Foundation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.server.store.RestoredState;
import io.kvorum.server.store.StateSummary;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.TablesHome;
import io.kvorum.snapshot.Draft;
import io.kvorum.snapshot.Hash;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a backup the data directory of a member of a new cluster. It is made as {@code
 * NAME.part} beside its final name, which it gets by a rename when all of it is durable: so a node
 * never starts on half of it, and a call that was cut short is simply made again. The backup is
 * read through first, and not changed.
 *
 * <p>Each founder of the new cluster is made in the same way, of the same backup and with the same
 * {@link Options} but for its own name; see {@link Foundation}. Others join later, with nothing.
 */
public final class Restore {
  private final Function<Disk, TablesHome> homes;
  private final LogConfig log;
  private final RandomGenerator random;

  /**
   * What shall become of a backup.
   *
   * @param clusterId of the new cluster
   * @param node whose directory it is
   * @param voters the founders of the new cluster
   * @param state as of which revision, and whether it jumps
   * @param timeMillis as of which time of the log, with an archive only; 0: that does not matter
   * @param archive what was written after the backup; null: only what is in it
   */
  public record Options(
      String clusterId,
      NodeId node,
      Membership voters,
      RestoredState.Options state,
      long timeMillis,
      @Nullable ArchivedEntries archive) {
    public Options {
      if (timeMillis < 0 || (timeMillis > 0 && archive == null)) {
        throw new IllegalArgumentException("a backup alone does not know when what was written");
      }
    }

    /** Of nothing but a backup. */
    public Options(String clusterId, NodeId node, Membership voters, RestoredState.Options state) {
      this(clusterId, node, voters, state, 0, null);
    }

    /** The same, with what was archived. */
    public Options with(ArchivedEntries entries, long untilMillis) {
      return new Options(clusterId, node, voters, state, untilMillis, entries);
    }
  }

  /**
   * A way to restore.
   *
   * @param homes what keeps a state in a directory
   * @param log how the log is begun
   * @param random for what must differ between directories
   */
  public Restore(Function<Disk, TablesHome> homes, LogConfig log, RandomGenerator random) {
    this.homes = homes;
    this.log = log;
    this.random = random;
  }

  /**
   * Makes the directory; it is there, whole and durable, when this returns.
   *
   * @param parent where it shall be
   * @param name its name there: free, or an empty directory
   * @return the state in it
   * @throws BackupException if the backup is damaged, or does not hold what is asked for; nothing
   *     has the name then
   * @throws IllegalArgumentException if the cluster id is that of the backup, or malformed
   */
  public StateSummary run(Backup backup, Disk parent, String name, Options options) {
    checkFree(parent, name);
    StateSummary given = backup.verify(homes);
    Replay replay = Replay.of(given, options);
    String refusal =
        replay == null ? RestoredState.refusal(given, options.state().revision()) : null;
    if (refusal != null) {
      throw new BackupException("the backup of " + backup.label().clusterId() + ": " + refusal);
    }
    String part = name + BackupWriter.PART;
    Disk draft = parent.directory(part);
    StateSummary state;
    DiskLock lock = draft.lock(BackupWriter.LOCK);
    try {
      draft.directories().forEach(draft::deleteDirectory);
      draft.list().stream().filter(each -> !each.equals(BackupWriter.LOCK)).forEach(draft::delete);
      state = make(backup, draft, options, replay);
      draft.syncDirectory();
    } finally {
      lock.close();
    }
    if (parent.directories().contains(name)) {
      parent.deleteDirectory(name);
    }
    parent.renameDirectory(part, name);
    parent.syncDirectory();
    return state;
  }

  static void checkFree(Disk parent, String name) {
    boolean isFree = !parent.exists(name);
    if (isFree && parent.directories().contains(name)) {
      Disk there = parent.directory(name);
      isFree = there.list().isEmpty() && there.directories().isEmpty();
    }
    if (!isFree) {
      throw new BackupException(
          parent.location() + "/" + name + " exists and is not empty: choose another directory");
    }
  }

  private StateSummary make(Backup backup, Disk draft, Options options, @Nullable Replay replay) {
    TablesHome home = homes.apply(Foundation.stateDirectory(draft));
    home.replace(backup.files());
    RestoredState.Options as = options.state();
    if (replay != null) {
      replay.run(home);
      as = new RestoredState.Options(0, as.bump());
    }
    SnapshotStore snapshots = Foundation.snapshots(draft, options.clusterId());
    Draft taken = snapshots.draft();
    StateSummary state = RestoredState.make(home, as, taken.files());
    Manifest manifest =
        taken.publish(new SnapshotMeta(state.applied(), options.voters()), state.about());
    Disk files = snapshots.files(manifest);
    try (TableSnapshot written = home.peek(files)) {
      if (!StateSummary.verified(written).equals(state)) {
        throw new BackupException(files.location() + " was not written as it was to be");
      }
    }
    new Foundation(
            options.clusterId(),
            backup.label().clusterId(),
            options.node(),
            options.voters(),
            state.applied(),
            mark(options.clusterId(), state))
        .write(draft, log, random);
    return state;
  }

  /** The same for two members exactly if they have the same state. */
  private static long mark(String clusterId, StateSummary state) {
    String text = clusterId + " " + state.applied() + " " + state.hash();
    Hash hash = Hash.ofContent(text.getBytes(StandardCharsets.UTF_8));
    return Math.max(1, ByteBuffer.wrap(hash.bytes()).getLong() & Long.MAX_VALUE);
  }
}
