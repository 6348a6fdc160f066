package io.kvorum.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What every {@link Disk} promises while nothing fails. */
abstract class DiskContract {
  /** An empty directory. */
  abstract Disk newDisk();

  @Test
  void newFileIsFullOfZeros() {
    Disk disk = newDisk();
    try (DiskFile file = disk.create("a", 3_000_000)) {
      assertThat(file.size()).isEqualTo(3_000_000);
      ByteBuffer all = ByteBuffer.allocate(3_000_000);
      file.read(0, all);
      assertThat(all.array()).isEqualTo(new byte[3_000_000]);
    }
    assertThat(disk.exists("a")).isTrue();
  }

  @Test
  void whatWasWrittenIsReadByEveryWay() {
    Disk disk = newDisk();
    byte[] content = random(10_000);
    try (DiskFile file = disk.create("a", 65_536)) {
      ByteBuffer map = file.map();
      ByteBuffer source = ByteBuffer.wrap(content);
      file.write(5_000, source);

      assertThat(source.hasRemaining()).isFalse();
      ByteBuffer target = ByteBuffer.allocate(10_000);
      file.read(5_000, target);
      assertThat(target.array()).isEqualTo(content);
      assertThat(bytes(map, 5_000, 10_000)).isEqualTo(content);
      file.sync();
    }
    try (DiskFile file = disk.open("a")) {
      assertThat(bytes(file.map(), 5_000, 10_000)).isEqualTo(content);
    }
  }

  @Test
  void directBufferIsWrittenFromItsPositionToItsLimit() {
    try (DiskFile file = newDisk().create("a", 4096)) {
      ByteBuffer source = ByteBuffer.allocateDirect(16).put(new byte[] {1, 2, 3, 4, 5}).flip();
      source.position(2);
      file.write(1, source);
      assertThat(bytes(file.map(), 0, 6)).containsExactly(0, 3, 4, 5, 0, 0);
    }
  }

  @Test
  void writeOverTheEndMakesTheFileLonger() {
    Disk disk = newDisk();
    try (DiskFile file = disk.create("a", 4096)) {
      file.write(4_000, ByteBuffer.wrap(random(1_000)));
      assertThat(file.size()).isEqualTo(5_000);
      file.sync();
    }
    assertThat(disk.read("a")).endsWith(random(1_000));
  }

  @Test
  void readOverTheEndFails() {
    try (DiskFile file = newDisk().create("a", 4096)) {
      assertThatThrownBy(() -> file.read(4_000, ByteBuffer.allocate(97)))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("ends at byte 4096");
    }
  }

  /** F040: a map is never taken from under its reader. */
  @Test
  void mapOutlivesCloseAndDelete() {
    Disk disk = newDisk();
    DiskFile file = disk.create("a", 8192);
    file.write(0, ByteBuffer.wrap(random(8192)));
    ByteBuffer slice = file.map().slice(100, 8000);
    file.close();
    disk.delete("a");
    disk.syncDirectory();
    assertThat(bytes(slice, 0, 8000)).isEqualTo(Arrays.copyOfRange(random(8192), 100, 8100));
  }

  @Test
  void mapIsReadOnly() {
    try (DiskFile file = newDisk().create("a", 4096)) {
      assertThat(file.map().isReadOnly()).isTrue();
    }
  }

  @Test
  void closedFileIsNotUsable() {
    DiskFile file = newDisk().create("a", 4096);
    file.close();
    file.close();
    assertThatThrownBy(() -> file.write(0, ByteBuffer.allocate(1)))
        .isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(file::sync).isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void filesAreListedSortedWithoutDirectories() {
    Disk disk = newDisk();
    disk.create("b", 0).close();
    disk.create("a", 0).close();
    disk.directory("c");
    assertThat(disk.list()).containsExactly("a", "b");
    assertThat(disk.exists("c")).isFalse();
  }

  @Test
  void renameReplaces() {
    Disk disk = newDisk();
    disk.replace("old", new byte[] {1});
    disk.replace("new", new byte[] {2});
    disk.rename("old", "new");
    assertThat(disk.list()).containsExactly("new");
    assertThat(disk.read("new")).containsExactly(1);
  }

  @Test
  void replaceLeavesNoTemporaryFile() {
    Disk disk = newDisk();
    disk.replace("a", random(5_000));
    disk.replace("a", new byte[] {7});
    assertThat(disk.list()).containsExactly("a");
    assertThat(disk.read("a")).containsExactly(7);
  }

  @Test
  void replaceWorksBesideATemporaryFileOfACrash() {
    Disk disk = newDisk();
    disk.create("a.tmp", 100).close();
    disk.replace("a", new byte[] {7});
    assertThat(disk.read("a")).containsExactly(7);
  }

  @Test
  void subDirectoryHasItsOwnNames() {
    Disk disk = newDisk();
    disk.directory("sub").replace("a", new byte[] {1});
    assertThat(disk.exists("a")).isFalse();
    assertThat(disk.directory("sub").read("a")).containsExactly(1);
    assertThat(disk.directory("sub").location()).startsWith(disk.location()).endsWith("sub");
  }

  @Test
  void directoriesAreListedSortedWithoutFiles() {
    Disk disk = newDisk();
    disk.directory("d");
    disk.directory("b").directory("below");
    disk.create("c", 0).close();
    assertThat(disk.directories()).containsExactly("b", "d");
  }

  @Test
  void deletedDirectoryIsGoneWithAllThatWasInIt() {
    Disk disk = newDisk();
    Disk below = disk.directory("a").directory("below");
    below.replace("x", new byte[] {1});
    disk.directory("a").replace("y", new byte[] {2});
    disk.directory("b").replace("x", new byte[] {3});

    disk.deleteDirectory("a");
    disk.deleteDirectory("a");
    disk.deleteDirectory("never there");
    disk.syncDirectory();

    assertThat(disk.directories()).containsExactly("b");
    assertThat(disk.directory("b").read("x")).containsExactly(3);
    assertThat(disk.directory("a").list()).isEmpty();
    assertThat(disk.directory("a").directories()).isEmpty();
  }

  @Test
  void renamedDirectoryKeepsWhatIsInIt() {
    Disk disk = newDisk();
    disk.directory("old").directory("below").replace("x", new byte[] {1});
    disk.renameDirectory("old", "new");
    assertThat(disk.directories()).containsExactly("new");
    assertThat(disk.directory("new").directory("below").read("x")).containsExactly(1);
  }

  @Test
  void directoryIsNotRenamedOverAnything() {
    Disk disk = newDisk();
    disk.directory("old");
    disk.directory("empty");
    disk.replace("file", new byte[] {1});
    for (String taken : new String[] {"empty", "file"}) {
      assertThatThrownBy(() -> disk.renameDirectory("old", taken))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining(taken);
    }
    assertThatThrownBy(() -> disk.renameDirectory("gone", "new"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("gone");
    assertThat(disk.directories()).containsExactly("empty", "old");
  }

  @Test
  void linkedFileIsOneFileWithTwoNames() {
    Disk disk = newDisk();
    Disk other = disk.directory("other");
    disk.replace("a", new byte[] {1, 2});
    disk.link("a", other);
    try (DiskFile file = other.open("a")) {
      file.write(0, ByteBuffer.wrap(new byte[] {7}));
      file.sync();
    }
    assertThat(disk.read("a")).containsExactly(7, 2);

    disk.delete("a");
    assertThat(disk.exists("a")).isFalse();
    assertThat(other.read("a")).containsExactly(7, 2);

    // A name that is given anew, as replace does, leaves the other one alone.
    other.link("a", disk);
    disk.replace("a", new byte[] {9});
    assertThat(other.read("a")).containsExactly(7, 2);
  }

  @Test
  void linkNeedsAFileAndAFreeName() {
    Disk disk = newDisk();
    Disk other = disk.directory("other");
    disk.replace("a", new byte[] {1});
    other.replace("a", new byte[] {2});
    assertThatThrownBy(() -> disk.link("a", other)).isInstanceOf(UncheckedIOException.class);
    assertThat(other.read("a")).containsExactly(2);
    assertThatThrownBy(() -> disk.link("gone", other))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("gone");
  }

  @Test
  void createRefusesAnExistingFile() {
    Disk disk = newDisk();
    disk.replace("a", new byte[] {1});
    assertThatThrownBy(() -> disk.create("a", 10)).isInstanceOf(UncheckedIOException.class);
    assertThat(disk.read("a")).containsExactly(1);
  }

  @Test
  void missingFileIsAnErrorThatNamesIt() {
    Disk disk = newDisk();
    assertThatThrownBy(() -> disk.open("gone"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("gone");
    assertThatThrownBy(() -> disk.delete("gone")).isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(() -> disk.rename("gone", "a")).isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void secondHolderIsToldWhichDirectoryIsInUse() {
    Disk disk = newDisk();
    try (DiskLock lock = disk.lock("lock")) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> disk.lock("lock"))
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining(disk.location());
      // Refusing the second one must not have freed the first.
      assertThatThrownBy(() -> disk.lock("lock")).isInstanceOf(DirectoryInUseException.class);
    }
    disk.lock("lock").close();
  }

  @Test
  void namesArePlain() {
    Disk disk = newDisk();
    for (String name : new String[] {"", ".", "..", "a/b", "../a"}) {
      assertThatThrownBy(() -> disk.create(name, 1))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> disk.deleteDirectory(name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void usableSpaceIsPositive() {
    assertThat(newDisk().usableBytes()).isPositive();
  }

  static byte[] random(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return bytes;
  }

  static byte[] bytes(ByteBuffer buffer, int from, int count) {
    byte[] bytes = new byte[count];
    buffer.get(from, bytes);
    return bytes;
  }
}
