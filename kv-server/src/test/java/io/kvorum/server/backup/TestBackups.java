package io.kvorum.server.backup;

import io.kvorum.api.Bytes;
import io.kvorum.api.PutOptions;
import io.kvorum.client.TakenSnapshot;
import io.kvorum.disk.Disk;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.LogArchive;
import io.kvorum.log.LogConfig;
import io.kvorum.node.StateMachine.Written;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.MemoryHome;
import io.kvorum.server.store.RestoredState;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.TablesHome;
import io.kvorum.snapshot.Draft;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** A node of a cluster {@code old} that lends snapshots of a store on the heap. */
final class TestBackups implements BackupSource {
  static final Membership OLD = Membership.of(List.of(new NodeId("n1"), new NodeId("n2")));

  private final KvStateMachine machine =
      KvStateMachine.open(new MemoryHome(0), StoreOptions.DEFAULT);
  private final SnapshotStore snapshots =
      SnapshotStore.open(SimulatedDisk.create(new SplittableRandom(1)), "old");
  private final List<Entry> log = new ArrayList<>();
  private long index;
  boolean hasLeader = true;

  /** Changes what arrives. */
  java.util.function.UnaryOperator<byte[]> wire = bytes -> bytes;

  long reads;

  TestBackups put(String key, String value) {
    index++;
    byte[] command =
        Commands.put(Bytes.utf8(key), Bytes.utf8(value), PutOptions.DEFAULT, 1_000 * index);
    Entry entry = new Entry(index, 3, EntryType.COMMAND, command);
    log.add(entry);
    if (machine.apply(List.of(entry)).size() != 1) {
      throw new AssertionError("it is applied");
    }
    return this;
  }

  /** As a node would that has these entries in its log. */
  void archive(Disk directory, String node, int first, int last) {
    LogArchive.open(directory, "old", node)
        .append(new EntryId(first - 1L, first == 1 ? 0 : 3), log.subList(first - 1, last));
  }

  KvStateMachine machine() {
    return machine;
  }

  @Override
  public CompletableFuture<Void> catchUp() {
    return hasLeader
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(new io.kvorum.api.KvException.Unavailable("nobody leads"));
  }

  @Override
  public CompletableFuture<TakenSnapshot> take() {
    Draft draft = snapshots.draft();
    Written written = machine.checkpoint().writeTo(draft.files());
    Manifest manifest =
        draft.publish(new SnapshotMeta(written.meta().last(), OLD), written.about());
    return CompletableFuture.completedFuture(
        new TakenSnapshot(
            "n2",
            manifest.name(),
            index,
            3,
            machine.header().revision(),
            manifest.bytes(),
            Bytes.copyOf(manifest.encode())));
  }

  @Override
  public CompletableFuture<byte[]> read(String name, int file, long offset, int length) {
    reads++;
    return CompletableFuture.completedFuture(
        wire.apply(snapshots.read(name, file, offset, length)));
  }

  /** A home for each directory; the state in it is on the heap. */
  static TablesHome home(Disk directory) {
    return new MemoryHome(0);
  }

  BackupWriter writer() {
    return new BackupWriter(this, TestBackups::home, line -> {});
  }

  static Restore restore(long seed) {
    LogConfig log = LogConfig.DEFAULT.withEntryBytesMax(4096).withSegmentBytes(64 << 10);
    return new Restore(TestBackups::home, log, new SplittableRandom(seed));
  }

  static Restore.Options options(String node) {
    return new Restore.Options(
        "new",
        new NodeId(node),
        Membership.of(List.of(new NodeId("n1"), new NodeId("n2"), new NodeId("n3"))),
        new RestoredState.Options(0, 100));
  }
}
