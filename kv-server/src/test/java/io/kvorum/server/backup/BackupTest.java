package io.kvorum.server.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.node.DataDirectory;
import io.kvorum.node.GroupMark;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.server.store.RestoredState;
import io.kvorum.snapshot.Manifest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Backups, and what is made of them. */
class BackupTest {
  private final SimulatedDisk shelf = SimulatedDisk.create(new SplittableRandom(1));
  private final TestBackups source = new TestBackups().put("a", "1").put("b", "2");

  private Backup backup(String name) {
    source.writer().write(shelf, name, null);
    return open(name);
  }

  private Backup open(String name) {
    return Backup.open(shelf.directory(name));
  }

  private GroupMark restore(Backup backup, String name, Restore.Options options) {
    TestBackups.restore(name.hashCode()).run(backup, shelf, name, options);
    return GroupMark.read(shelf.directory(name));
  }

  @Test
  void aBackupSaysWhatItIs() {
    BackupLabel label = backup("monday").label();
    assertThat(label.clusterId()).isEqualTo("old");
    assertThat(label.nodeId()).isEqualTo("n2");
    assertThat(label.revision()).isEqualTo(3);
    assertThat(label.logTimeMillis()).isEqualTo(2_000);
    assertThat(
            new String(
                shelf.directory("monday").read("backup"), java.nio.charset.StandardCharsets.UTF_8))
        .startsWith("kvorum-backup 1\ncluster old\nnode n2\nsnapshot 00000000000000000002-3\n")
        .contains("\nrevision 3\ncompact-revision 0\nlog-time-millis 2000\nstate-hash ");
  }

  @Test
  void whatIsThereIsNotWrittenOver() {
    Backup first = backup("monday");
    source.put("c", "3");
    assertThatThrownBy(() -> backup("monday"))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("monday exists");
    assertThat(open("monday").label()).isEqualTo(first.label());
  }

  /** Every byte of every file counts, and nothing is changed by the look. */
  @Test
  void everyDamagedByteIsFoundAndItsFileNamed() {
    backup("monday");
    Disk directory = shelf.directory("monday");
    Disk snapshot = directory.directory(directory.directories().get(0));
    int found = 0;
    for (Disk each : List.of(directory, snapshot, snapshot.directory("files"))) {
      for (String name : each.list()) {
        int size = each.read(name).length;
        for (int at = 0; at < size; at++) {
          flip(each, name, at);
          assertThatThrownBy(() -> open("monday").verify(TestBackups::home))
              .isInstanceOf(BackupException.class)
              .hasMessageContaining(each.location() + "/" + name);
          flip(each, name, at);
          found++;
        }
      }
    }
    assertThat(found).isGreaterThan(400);
    assertThat(open("monday").verify(TestBackups::home).revision()).isEqualTo(3);
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
  void aFileTooManyOrTooFewIsFound() {
    backup("monday");
    Disk directory = shelf.directory("monday");
    Disk files = directory.directory(directory.directories().get(0)).directory("files");
    files.create("more", 3).close();
    assertThatThrownBy(() -> open("monday")).hasMessageContaining("files/more");
    files.delete("more");
    files.delete(files.list().get(0));
    assertThatThrownBy(() -> open("monday")).hasMessageContaining("the file is missing");
    directory.delete("backup");
    assertThatThrownBy(() -> open("monday")).hasMessageContaining("this is no backup");
  }

  @Test
  void whatArrivesDamagedIsNoBackup() {
    source.wire =
        bytes -> {
          bytes[bytes.length / 2] ^= 1;
          return bytes;
        };
    assertThatThrownBy(() -> backup("monday"))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("what arrived is damaged");
    assertThat(shelf.directories()).containsExactly("monday.part");
    source.wire = bytes -> bytes;
    assertThat(backup("monday").verify(TestBackups::home).revision()).isEqualTo(3);
    assertThat(shelf.directories()).containsExactly("monday");
  }

  @Test
  void withoutALeaderThereIsABackupOfWhatThereIs() {
    source.hasLeader = false;
    List<String> said = new ArrayList<>();
    new BackupWriter(source, TestBackups::home, said::add).write(shelf, "monday", null);
    assertThat(said).singleElement().asString().contains("may lack what was written last");
  }

  /** It is whole by itself: also when the older one is on another disk, damaged later, or gone. */
  @Test
  void anIncrementalBackupFetchesOnlyWhatIsNew() {
    Backup first = backup("monday");
    source.reads = 0;
    BackupWriter.Outcome second = source.writer().write(shelf, "tuesday", first);
    assertThat(second.fetchedBytes()).isZero();
    SimulatedDisk elsewhere = SimulatedDisk.create(new SplittableRandom(9));
    assertThat(source.writer().write(elsewhere, "tuesday", first).fetchedBytes()).isZero();
    assertThat(source.reads).isZero();
    shelf.deleteDirectory("monday");
    assertThat(open("tuesday").verify(TestBackups::home).revision()).isEqualTo(3);
    Backup copied = Backup.open(elsewhere.directory("tuesday"));
    assertThat(copied.verify(TestBackups::home).revision()).isEqualTo(3);
    source.put("c", "3");
    assertThat(source.writer().write(shelf, "wednesday", copied).fetchedBytes()).isPositive();
    assertThat(open("wednesday").verify(TestBackups::home).revision()).isEqualTo(4);
  }

  @Test
  void ofADamagedOlderBackupNothingIsTaken() {
    Backup first = backup("monday");
    String file = first.files().list().get(0);
    flip(first.files(), file, 20);
    assertThat(source.writer().write(shelf, "tuesday", first).fetchedBytes()).isPositive();
    assertThat(open("tuesday").verify(TestBackups::home).revision()).isEqualTo(3);
  }

  // ---- restoring ----

  /** FAULTS F152: founders of one state are one group; those of other states are not of it. */
  @Test
  void foundersFitIfTheyHaveTheSameState() {
    Backup backup = backup("monday");
    GroupMark first = restore(backup, "r1", TestBackups.options("n1"));
    GroupMark second = restore(backup, "r2", TestBackups.options("n2"));
    assertThat(first.fits(second.value())).isTrue();
    assertThat(first.isConfirmed()).isFalse();
    source.put("c", "3");
    GroupMark other = restore(backup("tuesday"), "r3", TestBackups.options("n3"));
    assertThat(first.fits(other.value())).isFalse();
    Membership founders = TestBackups.options("n3").voters();
    Restore.Options unbumped =
        new Restore.Options("new", new NodeId("n3"), founders, new RestoredState.Options(0, 0));
    assertThat(first.fits(restore(backup, "r4", unbumped).value())).isFalse();
  }

  @Test
  void onlyItsOwnNodeOfTheNewClusterUsesTheDirectory() {
    restore(backup("monday"), "r", TestBackups.options("n1"));
    SplittableRandom random = new SplittableRandom(1);
    Disk directory = shelf.directory("r");
    assertThatThrownBy(() -> DataDirectory.open(directory, "old", new NodeId("n1"), random))
        .hasMessageContaining("belongs to cluster new");
    assertThatThrownBy(() -> DataDirectory.open(directory, "new", new NodeId("n2"), random))
        .hasMessageContaining("belongs to node n1");
  }

  @Test
  void theOldClusterIdIsRefused() {
    Backup backup = backup("monday");
    Restore.Options same =
        new Restore.Options(
            "old",
            new NodeId("n1"),
            Membership.of(List.of(new NodeId("n1"))),
            new RestoredState.Options(0, 0));
    assertThatThrownBy(() -> restore(backup, "r", same))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must differ from old");
    assertThat(shelf.directories()).doesNotContain("r");
  }

  @Test
  void aDamagedBackupIsNotRestoredAndNothingIsWrittenOver() {
    Backup backup = backup("monday");
    shelf.directory("r").create("precious", 1).close();
    assertThatThrownBy(() -> restore(backup, "r", TestBackups.options("n1")))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("is not empty");
    shelf.directory("empty");
    assertThat(restore(backup, "empty", TestBackups.options("n1")).value()).isNotZero();
    flip(backup.files(), backup.files().list().get(0), 20);
    assertThatThrownBy(() -> restore(backup, "r2", TestBackups.options("n1")))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("SHA-256");
    assertThat(shelf.directories()).doesNotContain("r2");
  }

  @Test
  void aRevisionThatTheBackupDoesNotHoldIsRefused() {
    Restore.Options late =
        new Restore.Options(
            "new",
            new NodeId("n1"),
            TestBackups.options("n1").voters(),
            new RestoredState.Options(9, 0));
    Backup backup = backup("monday");
    assertThatThrownBy(() -> restore(backup, "r", late))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("it holds the revisions 1 to 3");
    assertThat(Manifest.isName(backup.label().snapshot())).isTrue();
  }
}
