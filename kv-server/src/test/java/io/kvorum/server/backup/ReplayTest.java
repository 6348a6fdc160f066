package io.kvorum.server.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.ArchivedEntries;
import io.kvorum.log.CorruptArchiveException;
import io.kvorum.log.LogArchive;
import io.kvorum.node.Foundation;
import io.kvorum.raft.NodeId;
import io.kvorum.server.store.RestoredState;
import io.kvorum.server.store.StateSummary;
import io.kvorum.snapshot.SnapshotStore;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Points in time, from a backup and an archive. Entry <i>n</i> makes revision <i>n</i> + 1 and is
 * stamped <i>n</i> seconds; the backup is as of entry 2.
 */
class ReplayTest {
  private final SimulatedDisk shelf = SimulatedDisk.create(new SplittableRandom(1));
  private final Disk archive = shelf.directory("archive");
  private final TestBackups source = new TestBackups().put("a", "1").put("b", "2");
  private int restores;

  private Backup backup() {
    source.writer().write(shelf, "monday", null);
    for (int i = 3; i <= 9; i++) {
      source.put("k" + i % 3, "v" + i);
    }
    return Backup.open(shelf.directory("monday"));
  }

  private StateSummary restore(Backup backup, long revision, long timeMillis) {
    Restore.Options plain =
        new Restore.Options(
            "new",
            new NodeId("n1"),
            TestBackups.options("n1").voters(),
            new RestoredState.Options(revision, 0));
    String name = "restored" + restores++;
    StateSummary state =
        TestBackups.restore(3)
            .run(backup, shelf, name, plain.with(ArchivedEntries.open(archive, "old"), timeMillis));
    SnapshotStore snapshots = Foundation.snapshots(shelf.directory(name), "new");
    snapshots.verify(snapshots.published().get(0));
    return state;
  }

  @Test
  void everyRevisionAndTimeIsReached() {
    Backup backup = backup();
    source.archive(archive, "n1", 1, 4);
    source.archive(archive, "n1", 5, 8);
    for (int i = 2; i <= 8; i++) {
      StateSummary byRevision = restore(backup, i + 1, 0);
      assertThat(byRevision.revision()).isEqualTo(i + 1);
      assertThat(byRevision.applied().index()).isEqualTo(i);
      if (i < 8) {
        assertThat(restore(backup, 0, 1_000 * i + 999)).isEqualTo(byRevision);
      }
    }
    assertThat(restore(backup, 0, 8_000).revision()).isEqualTo(9);
    assertThat(restore(backup, 0, 0).revision()).as("all that there is").isEqualTo(9);
    assertThat(restore(backup, 2, 0).revision()).as("in the backup's history").isEqualTo(2);
  }

  /** What is replayed is what the cluster itself came to. */
  @Test
  void theStateIsThatOfTheCluster() {
    Backup backup = backup();
    source.archive(archive, "n1", 1, 9);
    StateSummary restored = restore(backup, 0, 0);
    assertThat(restored.hash()).isEqualTo(source.machine().stateHash());
  }

  @Test
  void whatTheArchiveDoesNotReachIsSaid() {
    Backup backup = backup();
    source.archive(archive, "n1", 1, 8);
    assertThatThrownBy(() -> restore(backup, 10, 0))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("the archive ends with entry 8, at revision 9")
        .hasMessageContaining("before revision 10");
    assertThatThrownBy(() -> restore(backup, 0, 8_500))
        .hasMessageContaining("ends with entry 8")
        .hasMessageContaining("before 1970-01-01T00:00:08.500Z");
    assertThatThrownBy(() -> restore(backup, 0, 1_500)).hasMessageContaining("take an older one");
    assertThat(shelf.directories()).noneMatch(name -> name.matches("restored\\d+"));
  }

  @Test
  void aGapIsNamedAndAnotherNodeFillsIt() {
    Backup backup = backup();
    source.archive(archive, "n1", 1, 3);
    source.archive(archive, "n1", 6, 9);
    assertThatThrownBy(() -> restore(backup, 0, 0))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("the entries 4 to 5 are in no file");
    source.archive(archive, "n2", 2, 7);
    assertThat(restore(backup, 0, 0).revision()).isEqualTo(10);
  }

  @Test
  void everyDamagedByteIsFoundUnlessAnotherNodeHasTheSame() {
    Backup backup = backup();
    source.archive(archive, "n1", 1, 9);
    Disk own = archive.directory("old").directory("n1");
    String name = own.list().get(0);
    int size = own.read(name).length;
    int found = 0;
    for (int at = 0; at < size; at++) {
      flip(own, name, at);
      try {
        assertThat(restore(backup, 0, 0).revision()).isEqualTo(10);
      } catch (BackupException damaged) {
        assertThat(damaged).hasMessageContaining(own.location() + "/" + name);
        found++;
      }
      flip(own, name, at);
    }
    // The head of gzip holds some bytes that mean nothing.
    assertThat(found).isGreaterThan(size - 10);
    flip(own, name, size / 2);
    source.archive(archive, "n2", 1, 9);
    assertThat(restore(backup, 0, 0).revision()).isEqualTo(10);
  }

  private static void flip(Disk disk, String name, int at) {
    try (DiskFile file = disk.open(name)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(at, one);
      one.put(0, (byte) (one.get(0) ^ 0x10)).rewind();
      file.write(at, one);
    }
  }

  @Test
  void anArchiveGoesOnWhereItEndedAndIsOfItsCluster() {
    backup();
    source.archive(archive, "n1", 1, 4);
    assertThat(LogArchive.open(archive, "old", "n1").lastIndex()).isEqualTo(4);
    assertThatThrownBy(() -> source.archive(archive, "n1", 3, 6))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ArchivedEntries.open(archive, "other"))
        .isInstanceOf(CorruptArchiveException.class)
        .hasMessageContaining("holds no archive of cluster other");
  }
}
