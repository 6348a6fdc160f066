package io.kvorum.server.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.Disk;
import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.LogConfig;
import io.kvorum.node.DataDirectory;
import io.kvorum.raft.NodeId;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.MemoryHome;
import io.kvorum.server.store.StateSummary;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.io.UncheckedIOException;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Power loss and I/O errors at every call to the disk. Whatever has the name of a backup or of a
 * restored directory afterwards is whole, what was reported is there, and the same call works
 * again.
 */
class BackupCrashTest {
  private static final String NAME = "monday";
  private static final LogConfig LOG =
      LogConfig.DEFAULT.withEntryBytesMax(4096).withSegmentBytes(64 << 10);

  /** What is done on a disk, and what must hold of what is there. */
  private interface Work {
    void run(Disk disk);

    void check(Disk disk);
  }

  private static final class Backing implements Work {
    private final TestBackups source = new TestBackups().put("a", "1").put("b", "2");

    @Override
    public void run(Disk disk) {
      BackupWriter.Outcome written = source.writer().write(disk, NAME, null);
      assertThat(written.label().revision()).isEqualTo(3);
    }

    @Override
    public void check(Disk disk) {
      Backup backup = Backup.open(disk.directory(NAME));
      assertThat(backup.verify(TestBackups::home).revision()).isEqualTo(3);
    }
  }

  private static final class Restoring implements Work {
    private final Backup backup;

    Restoring() {
      Disk shelf = SimulatedDisk.create(new SplittableRandom(5));
      new TestBackups().put("a", "1").put("b", "2").writer().write(shelf, NAME, null);
      backup = Backup.open(shelf.directory(NAME));
    }

    @Override
    public void run(Disk disk) {
      StateSummary state =
          TestBackups.restore(7).run(backup, disk, NAME, TestBackups.options("n2"));
      assertThat(state.revision()).isEqualTo(103);
    }

    /** As a node starts, which makes its state of the snapshot: that on the heap is lost. */
    @Override
    public void check(Disk disk) {
      SplittableRandom random = new SplittableRandom(3);
      try (DataDirectory directory =
          DataDirectory.open(disk.directory(NAME), "new", new NodeId("n2"), random)) {
        SnapshotStore snapshots = directory.openSnapshots();
        Manifest snapshot = snapshots.published().get(0);
        snapshots.verify(snapshot);
        MemoryHome home = new MemoryHome(0);
        home.replace(snapshots.files(snapshot));
        KvStateMachine store = KvStateMachine.open(home, StoreOptions.DEFAULT);
        assertThat(store.header().revision()).isEqualTo(103);
        DataDirectory.Opened opened =
            directory.openLog(LOG, Runnable::run, random, store.restored(), store.membership());
        assertThat(opened.log().last()).isEqualTo(store.restored());
        assertThat(opened.voteFile().load().currentTerm()).isEqualTo(3);
        opened.log().close();
        opened.voteFile().close();
      }
    }
  }

  @Test
  void everyCrashAndErrorLeavesAWholeBackupOrNone() {
    assertThat(everywhere(new Backing())).isGreaterThan(20);
  }

  @Test
  void everyCrashAndErrorLeavesAWholeDirectoryOrNone() {
    assertThat(everywhere(new Restoring())).isGreaterThan(50);
  }

  /** There is no space, for more and more of it; then there is. */
  @Test
  void aFullDiskLeavesAWholeOneOrNone() {
    assertThat(withLittleSpace(new Backing(), 151)).isGreaterThan(3);
    assertThat(withLittleSpace(new Restoring(), 4_001)).isGreaterThan(3);
  }

  private static int withLittleSpace(Work work, int step) {
    int full = 0;
    boolean completed = false;
    for (long space = 0; !completed; space += step) {
      SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(space));
      disk.spaceLeft(space);
      try {
        work.run(disk);
        completed = true;
      } catch (UncheckedIOException | BackupException expected) {
        assertThat(expected).as("%d bytes", space).hasMessageContaining("full");
        full++;
      }
      disk.spaceLeft(10 << 20);
      if (!completed) {
        assertThat(disk.directories()).as("%d bytes", space).doesNotContain(NAME);
        work.run(disk);
      }
      work.check(disk);
      assertThat(disk.directories()).containsExactly(NAME);
    }
    return full;
  }

  private static int everywhere(Work work) {
    boolean completed = false;
    int call = 0;
    while (!completed) {
      call++;
      int at = call;
      completed = at(work, disk -> disk.crashBefore(at), "crash before call " + call);
      at(work, disk -> disk.crashAfter(at), "crash after call " + call);
      at(work, disk -> disk.failAt(at), "error at call " + call);
      at(work, disk -> disk.failFrom(at), "errors from call " + call);
    }
    return call;
  }

  /** Whether it was done before the fault came. */
  private static boolean at(Work work, Consumer<SimulatedDisk> fault, String replay) {
    SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(replay.hashCode()));
    fault.accept(disk);
    boolean completed = false;
    try {
      work.run(disk);
      completed = true;
    } catch (SimulatedCrash | UncheckedIOException | BackupException expected) {
      assertThat(expected.getMessage()).as(replay).isNotEmpty();
    }
    // What was reported is durable; what was not may be there or not.
    disk.crash();
    disk.restart();
    try {
      boolean isThere = disk.directories().contains(NAME);
      assertThat(isThere || !completed).as("reported, and gone").isTrue();
      if (isThere) {
        work.check(disk);
        disk.deleteDirectory(NAME);
      }
      work.run(disk);
      work.check(disk);
      assertThat(disk.directories()).containsExactly(NAME);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("replay: " + replay, e);
    }
    return completed;
  }
}
