package io.kvorum.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealDiskTest {
  @TempDir Path directory;

  @Nested
  class WrittenThroughTheChannel extends DiskContract {
    @Override
    Disk newDisk() {
      return RealDisk.at(directory.resolve("channel"));
    }
  }

  @Nested
  class WrittenThroughTheMap extends DiskContract {
    @Override
    Disk newDisk() {
      return RealDisk.at(directory.resolve("mapped"), WriteMode.MAPPED);
    }
  }

  /** F041: a store into a hole could be lost silently. */
  @Test
  void blocksOfANewFileReallyExist() throws IOException, InterruptedException {
    for (WriteMode mode : WriteMode.values()) {
      RealDisk disk = RealDisk.at(directory.resolve(mode.name()), mode);
      disk.create("a", 1 << 20).close();
      Process du = new ProcessBuilder("du", "-B1", disk.path().resolve("a").toString()).start();
      String line = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(du.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(Long.parseLong(line.split("\t", 2)[0])).isGreaterThanOrEqualTo(1 << 20);
    }
  }

  @Test
  void aTemporaryDirectoryIsNewAndNobodyElses() throws IOException {
    RealDisk one = RealDisk.temporary("kvorum-test-");
    RealDisk other = RealDisk.temporary("kvorum-test-");
    try {
      assertThat(one.location()).isNotEqualTo(other.location());
      assertThat(Files.getPosixFilePermissions(one.path()))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    } finally {
      Files.delete(one.path());
      Files.delete(other.path());
    }
  }

  @Test
  void parentsAreCreated() {
    RealDisk disk = RealDisk.at(directory.resolve("x/y/z"));
    disk.replace("a", new byte[] {1});
    assertThat(Files.exists(directory.resolve("x/y/z/a"))).isTrue();
  }

  /** Of the commonest errors the JDK's message is the name of the file, and nothing else. */
  @Test
  void anErrorSaysWhyNotOnlyWhere() throws IOException {
    RealDisk disk = RealDisk.at(directory);
    assertThatThrownBy(() -> disk.open("none"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("cannot open %1$s/none: %1$s/none: No such file or directory", directory);
    Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(() -> disk.create("file", 0)).hasMessageEndingWith("file: File exists");
    assertThatThrownBy(() -> RealDisk.at(directory.resolve("file/below")))
        .hasMessageMatching("cannot create the directory .*: (File exists|Not a directory)");
  }

  @Test
  void lockIsSharedByAllWaysToNameTheDirectory() throws IOException {
    Files.createDirectory(directory.resolve("real"));
    Files.createSymbolicLink(directory.resolve("link"), directory.resolve("real"));
    try (DiskLock lock = RealDisk.at(directory.resolve("real")).lock("lock")) {
      assertThat(lock).isNotNull();
      RealDisk other = RealDisk.at(directory.resolve("link"));
      assertThatThrownBy(() -> other.lock("lock")).isInstanceOf(DirectoryInUseException.class);
    }
  }

  @Test
  void lockOfAnotherProcessIsRespected() throws IOException, InterruptedException {
    RealDisk disk = RealDisk.at(directory);
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(holder.getInputStream().read()).isEqualTo('!');
      assertThatThrownBy(() -> disk.lock("lock"))
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining("another process");
    } finally {
      holder.destroyForcibly();
      holder.waitFor();
    }
    disk.lock("lock").close();
  }

  /** Holds the lock until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws IOException {
      DiskLock lock = RealDisk.at(Path.of(args[0])).lock("lock");
      System.out.print("!");
      System.out.flush();
      int end = System.in.read();
      lock.close();
      System.exit(end);
    }
  }

  /** F041: the file is cut under a map that is being written. */
  @Test
  void storeIntoALostPageIsAFailureOfTheWorld() throws IOException {
    RealDisk disk = RealDisk.at(directory, WriteMode.MAPPED);
    DiskFile file = disk.create("a", 1 << 16);
    try (FileChannel channel = FileChannel.open(directory.resolve("a"), StandardOpenOption.WRITE)) {
      channel.truncate(0);
    }
    assertThatThrownBy(
            () -> {
              // JDK 17 may report the fault of a store late: at the latest at the sync.
              file.write(8192, ByteBuffer.allocate(4096));
              file.sync();
            })
        .isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void fullDiskHasItsOwnException() {
    IOException cause = new IOException("No space left on device");
    assertThat(IoFailure.of("write a", cause)).isInstanceOf(DiskFullException.class);
    assertThat(IoFailure.of("write a", new IOException("Input/output error")))
        .isNotInstanceOf(DiskFullException.class)
        .hasMessage("cannot write a: Input/output error");
  }

  /** F045, on a device that is always full. */
  @Test
  void writeToAFullDeviceIsReportedAtOnce() throws IOException {
    Path full = Path.of("/dev/full");
    ChannelFile file = new ChannelFile(full, FileChannel.open(full, StandardOpenOption.WRITE));
    assertThatThrownBy(() -> file.write(0, ByteBuffer.allocate(4096)))
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining("/dev/full");
    file.close();
  }
}
