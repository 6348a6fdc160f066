package io.kvorum.disk.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.DiskFullException;
import io.kvorum.disk.DiskLock;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SimulatedDiskTest {
  private static final byte[] ONES = filled(4096 * 4, 1);
  private static final byte[] TWOS = filled(4096 * 4, 2);

  @Test
  void syncedBytesAndNamesSurvive() {
    for (long seed = 0; seed < 50; seed++) {
      SimulatedDisk disk = disk(seed);
      DiskFile file = disk.create("a", ONES.length);
      file.write(0, ByteBuffer.wrap(ONES));
      file.sync();
      disk.syncDirectory();
      file.write(0, ByteBuffer.wrap(TWOS));
      disk.crash();
      disk.restart();
      byte[] found = disk.read("a");
      for (int at = 0; at < found.length; at += 512) {
        // A sector is all old or all new.
        assertThat(found[at]).as("seed %d", seed).isIn((byte) 1, (byte) 2);
        assertThat(Arrays.copyOfRange(found, at, at + 512)).containsOnly(found[at]);
      }
    }
  }

  @Test
  void unsyncedPagesAreLostKeptAndTorn() {
    Set<String> fates = new HashSet<>();
    for (long seed = 0; seed < 50; seed++) {
      SimulatedDisk disk = disk(seed);
      DiskFile file = disk.create("a", ONES.length);
      disk.syncDirectory();
      file.write(0, ByteBuffer.wrap(ONES));
      disk.crash();
      disk.restart();
      byte[] found = disk.read("a");
      for (int page = 0; page < 4; page++) {
        int kept = 0;
        for (int at = page * 4096; at < (page + 1) * 4096; at += 512) {
          kept += found[at];
        }
        fates.add(kept == 0 ? "lost" : kept == 8 ? "kept" : "torn");
      }
    }
    assertThat(fates).containsExactlyInAnyOrder("lost", "kept", "torn");
  }

  /** F043: a name that was not synced may or may not be there. */
  @Test
  void unsyncedNamesAreLostOrKept() {
    Set<String> outcomes = new HashSet<>();
    for (long seed = 0; seed < 200; seed++) {
      SimulatedDisk disk = disk(seed);
      disk.replace("old", new byte[] {1});
      disk.replace("deleted", new byte[] {2});
      disk.rename("old", "new");
      disk.delete("deleted");
      disk.create("created", 0);
      disk.crash();
      disk.restart();
      outcomes.add(String.join(" ", disk.list()));
    }
    // Three changes, each kept or lost by itself; the rename never leaves both names or none.
    assertThat(outcomes)
        .hasSize(8)
        .allMatch(names -> names.contains("old") != names.contains("new"));
  }

  /** As files: a rename of a directory never leaves both names or none. */
  @Test
  void unsyncedChangesOfDirectoriesAreLostOrKept() {
    Set<String> outcomes = new HashSet<>();
    for (long seed = 0; seed < 200; seed++) {
      SimulatedDisk disk = disk(seed);
      disk.directory("old").replace("a", ONES);
      disk.directory("deleted").replace("b", ONES);
      disk.directory("target");
      disk.renameDirectory("old", "new");
      disk.deleteDirectory("deleted");
      disk.directory("new").link("a", disk.directory("target"));
      disk.crash();
      disk.restart();
      String name = disk.directories().contains("old") ? "old" : "new";
      assertThat(disk.directory(name).read("a")).isEqualTo(ONES);
      boolean linked = disk.directory("target").exists("a");
      boolean deleted = !disk.directories().contains("deleted");
      boolean empty = deleted || disk.directory("deleted").list().isEmpty();
      outcomes.add(name + " " + linked + " " + deleted + " " + empty);
    }
    // The deletion is kept, lost, or lost but for the file that was in the directory.
    assertThat(outcomes).hasSize(2 * 2 * 3);
  }

  @Test
  void syncedChangesOfDirectoriesSurvive() {
    for (long seed = 0; seed < 50; seed++) {
      SimulatedDisk disk = disk(seed);
      disk.directory("old").replace("a", ONES);
      disk.directory("deleted").replace("b", ONES);
      disk.directory("old").link("a", disk.directory("target"));
      disk.directory("target").syncDirectory();
      disk.renameDirectory("old", "new");
      disk.deleteDirectory("deleted");
      disk.syncDirectory();
      disk.crash();
      disk.restart();
      assertThat(disk.directories()).containsExactly("new", "target");
      assertThat(disk.directory("target").read("a")).isEqualTo(ONES);
    }
  }

  @Test
  void linkedFileTakesItsSpaceOnceAndIsDamagedOnce() {
    SimulatedDisk disk = disk(5);
    disk.directory("x").replace("a", ONES);
    disk.directory("x").link("a", disk.directory("y"));
    disk.quotaBytes(ONES.length + 10);
    assertThat(disk.usableBytes()).isEqualTo(10);
    disk.restore(disk.image());
    assertThat(disk.usableBytes()).isEqualTo(10);
    disk.child("x").flipBit("a", 0);
    assertThat(disk.child("y").read("a")[0]).isEqualTo((byte) 0);
  }

  @Test
  void directoriesThatTheImageLacksAreGone() {
    SimulatedDisk disk = disk(5);
    disk.directory("a");
    SimulatedDisk.Image image = disk.image();
    disk.directory("b").replace("x", ONES);
    disk.restore(image);
    assertThat(disk.directories()).containsExactly("a");
  }

  @Test
  void replaceIsAtomicAtEveryStep() {
    boolean completed = false;
    for (int call = 1; !completed; call++) {
      for (int variant = 0; variant < 40; variant++) {
        SimulatedDisk disk = disk(variant);
        disk.replace("a", ONES);
        arm(disk, call, variant);
        completed = false;
        try {
          disk.replace("a", TWOS);
          completed = true;
        } catch (SimulatedCrash expected) {
          assertThat(expected).hasMessageContaining("call");
        }
        disk.crash();
        disk.restart();
        if (completed) {
          assertThat(disk.read("a")).isEqualTo(TWOS);
        } else {
          byte[] found = disk.read("a");
          assertThat(Arrays.equals(found, ONES) || Arrays.equals(found, TWOS))
              .as("call %d variant %d", call, variant)
              .isTrue();
        }
      }
    }
  }

  @Test
  void callsFailByChanceUntilCalm() {
    SimulatedDisk disk = disk(5);
    DiskFile file = disk.create("a", 0);
    disk.failPerMille(500);
    int failed = 0;
    for (int i = 0; i < 100; i++) {
      try {
        file.write(0, ByteBuffer.wrap(new byte[] {1}));
      } catch (UncheckedIOException expected) {
        failed++;
      }
    }
    assertThat(failed).isBetween(20, 80);
    disk.calm();
    for (int i = 0; i < 100; i++) {
      file.write(0, ByteBuffer.wrap(new byte[] {1}));
    }
  }

  @Test
  void calmTakesBackACrashThatHasNotHappened() {
    SimulatedDisk disk = disk(5);
    disk.crashBefore(1);
    disk.calm();
    disk.create("a", 0);
    assertThat(disk.isDown()).isFalse();
    disk.crash();
    assertThat(disk.isDown()).isTrue();
  }

  @Test
  void theSpaceLeftIsCountedFromNow() {
    SimulatedDisk disk = disk(5);
    disk.create("a", 4096).close();
    disk.spaceLeft(4096);
    disk.create("b", 4096).close();
    assertThatThrownBy(() -> disk.create("c", 1)).isInstanceOf(DiskFullException.class);
  }

  @Test
  void aLostFileIsGoneForGood() {
    SimulatedDisk disk = disk(5);
    disk.replace("a", ONES);
    disk.lose("a");
    assertThat(disk.names()).isEmpty();
    disk.crash();
    disk.restart();
    assertThat(disk.list()).isEmpty();
  }

  @Test
  void anImageIsNotTouchedByWhatHappensLater() {
    SimulatedDisk disk = disk(5);
    SimulatedDisk below = disk.directory("below");
    disk.replace("a", ONES);
    below.replace("b", ONES);
    SimulatedDisk.Image image = disk.image();
    disk.replace("a", TWOS);
    below.replace("b", TWOS);
    below.replace("c", TWOS);
    disk.crash();
    disk.restore(image);
    disk.restart();
    assertThat(disk.read("a")).isEqualTo(ONES);
    assertThat(below.list()).containsExactly("b");
    assertThat(disk.child("below").read("b")).isEqualTo(ONES);

    disk.replace("a", TWOS);
    disk.restore(image);
    assertThat(disk.read("a")).isEqualTo(ONES);
    disk.restore(SimulatedDisk.Image.empty());
    assertThat(disk.list()).isEmpty();
    assertThat(below.list()).isEmpty();
  }

  private static void arm(SimulatedDisk disk, int call, int variant) {
    if (variant % 2 == 0) {
      disk.crashBefore(call);
    } else {
      disk.crashAfter(call);
    }
  }

  /** F042: the second sync succeeds, and the bytes are lost all the same. */
  @Test
  void failedSyncLosesPagesAndCallsThemClean() {
    Set<Byte> found = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      SimulatedDisk disk = disk(seed);
      DiskFile file = disk.create("a", 4096);
      disk.syncDirectory();
      file.write(0, ByteBuffer.wrap(ONES, 0, 512));
      disk.failAt(1);
      assertThatThrownBy(file::sync).isInstanceOf(UncheckedIOException.class);
      file.sync();
      assertThat(file.map().get(0)).isEqualTo((byte) 1);
      disk.crash();
      disk.restart();
      found.add(disk.read("a")[0]);
    }
    assertThat(found).contains((byte) 0);
  }

  @Test
  void failedWriteMayBeShort() {
    Set<Boolean> some = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      SimulatedDisk disk = disk(seed);
      DiskFile file = disk.create("a", 4096);
      disk.failAt(1);
      assertThatThrownBy(() -> file.write(0, ByteBuffer.wrap(ONES, 0, 4096)))
          .isInstanceOf(UncheckedIOException.class);
      some.add(file.map().get(0) == 1 && file.map().get(4095) == 0);
    }
    assertThat(some).contains(true);
  }

  @Test
  void everythingFailsBetweenCrashAndRestart() {
    SimulatedDisk disk = disk(1);
    DiskFile file = disk.create("a", 4096);
    DiskLock lock = disk.lock("lock");
    disk.crash();
    assertThatThrownBy(() -> file.write(0, ByteBuffer.allocate(1)))
        .isInstanceOf(SimulatedCrash.class);
    assertThatThrownBy(disk::list).isInstanceOf(SimulatedCrash.class);
    disk.restart();
    assertThatThrownBy(file::sync).isInstanceOf(SimulatedCrash.class);
    DiskLock held = disk.lock("lock");
    // The dead process's lock must not free that of the living one.
    lock.close();
    assertThatThrownBy(() -> disk.lock("lock")).hasMessageContaining("in use");
    held.close();
  }

  @Test
  void restartWithoutCrashLosesNothing() {
    SimulatedDisk disk = disk(1);
    disk.create("a", 0).write(0, ByteBuffer.wrap(ONES));
    disk.restart();
    assertThat(disk.read("a")).isEqualTo(ONES);
  }

  /** F045. */
  @Test
  void quotaEndsInDiskFull() {
    SimulatedDisk disk = disk(1);
    disk.quotaBytes(10_000);
    disk.directory("sub").create("a", 6_000).close();
    assertThat(disk.usableBytes()).isEqualTo(4_000);
    assertThatThrownBy(() -> disk.create("b", 5_000))
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining("b");
    assertThat(disk.list()).isEmpty();
    disk.quotaBytes(20_000);
    disk.create("b", 5_000).close();
  }

  /** F045: what is there can be written over, and deleted; nothing more comes. */
  @Test
  void fromThatCallOnNothingHasSpace() {
    SimulatedDisk disk = disk(1);
    DiskFile old = disk.create("a", 100);
    disk.fullFrom(2);
    DiskFile last = disk.create("b", 0);
    assertThat(disk.usableBytes()).isZero();
    assertThatThrownBy(() -> disk.create("c", 0)).isInstanceOf(DiskFullException.class);
    assertThatThrownBy(() -> last.write(0, ByteBuffer.allocate(1)))
        .isInstanceOf(DiskFullException.class);
    assertThatThrownBy(() -> disk.link("a", disk.directory("other")))
        .isInstanceOf(DiskFullException.class);
    old.write(0, ByteBuffer.allocate(100));
    old.sync();
    disk.delete("a");
    assertThatThrownBy(() -> disk.create("c", 0)).isInstanceOf(DiskFullException.class);
    disk.quotaBytes(Long.MAX_VALUE);
    assertThat(disk.create("c", 10).size()).isEqualTo(10);
  }

  @Test
  void damageIsDurable() {
    SimulatedDisk disk = disk(1);
    disk.replace("a", new byte[] {0, 0, 0, 0});
    disk.flipBit("a", 17);
    assertThat(disk.read("a")).containsExactly(0, 0, 2, 0);
    disk.zero("a", 2, 3);
    disk.plant("b", new byte[] {9});
    disk.crash();
    disk.restart();
    assertThat(disk.read("a")).containsExactly(0, 0, 0, 0);
    assertThat(disk.read("b")).containsExactly(9);
  }

  @Test
  void sameSeedHasTheSameOutcome() {
    assertThat(outcome(7)).isEqualTo(outcome(7));
    assertThat(outcome(7)).isNotEqualTo(outcome(8));
  }

  private static byte[] outcome(long seed) {
    SimulatedDisk disk = disk(seed);
    DiskFile file = disk.create("a", ONES.length);
    disk.syncDirectory();
    file.write(0, ByteBuffer.wrap(ONES));
    file.write(300, ByteBuffer.wrap(TWOS, 0, 9_000));
    disk.crash();
    disk.restart();
    return disk.read("a");
  }

  @Test
  void callsAreCountedByKind() {
    SimulatedDisk disk = disk(1);
    disk.replace("a", new byte[] {1});
    assertThat(disk.count(Call.CREATE)).isEqualTo(1);
    assertThat(disk.count(Call.WRITE)).isEqualTo(1);
    assertThat(disk.count(Call.SYNC)).isEqualTo(1);
    assertThat(disk.count(Call.RENAME)).isEqualTo(1);
    assertThat(disk.count(Call.SYNC_DIRECTORY)).isEqualTo(1);
    assertThat(disk.calls()).isEqualTo(5);
  }

  private static SimulatedDisk disk(long seed) {
    Disk made = SimulatedDisk.create(new SplittableRandom(seed));
    return (SimulatedDisk) made;
  }

  private static byte[] filled(int count, int value) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}
