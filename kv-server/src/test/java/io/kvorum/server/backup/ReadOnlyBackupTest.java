package io.kvorum.server.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.disk.RealDisk;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.raft.NodeId;
import io.kvorum.server.KvNode;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.store.StateSummary;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.snapshot.StoredSnapshot;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup is verified where nobody may write: on a medium that is read-only, or as a stranger. */
class ReadOnlyBackupTest {
  @TempDir private Path directory;

  private Path backup() {
    return directory.resolve("backup");
  }

  @BeforeEach
  void make() throws IOException {
    Path data = directory.resolve("n1");
    SnapshotConfig often = SnapshotConfig.DEFAULT.withLogBytes(1 << 10);
    try (KvNode node =
        KvNode.start(ServerConfig.embedded(data).segmentBytes(8 << 20).snapshots(often).build())) {
      for (int i = 0; i < 50; i++) {
        node.blocking().put(Bytes.utf8("key" + i), Bytes.utf8("a value " + i));
      }
      Await.until(
          "a snapshot", Duration.ofSeconds(60), () -> node.status().join().snapshots().index() > 0);
    }
    Path snapshot;
    try (Stream<Path> all = Files.list(data.resolve("snapshots"))) {
      snapshot = all.findFirst().orElseThrow();
    }
    copy(snapshot, backup().resolve(String.valueOf(snapshot.getFileName())));
    RealDisk disk = RealDisk.at(backup());
    StoredSnapshot stored = StoredSnapshot.open(RealDisk.at(snapshot));
    RocksHome home = RocksHome.in(RealDisk.at(directory.resolve("n2")), RocksSettings.DEFAULT);
    try (TableSnapshot tables = home.peek(stored.files())) {
      StateSummary state = StateSummary.of(tables);
      BackupLabel.of(new NodeId("n1").name(), stored.manifest(), state).write(disk);
    }
    permit("r-xr-xr-x", "r--r--r--");
  }

  @AfterEach
  void mayBeDeleted() throws IOException {
    permit("rwxr-xr-x", "rw-r--r--");
  }

  @Test
  void itIsVerifiedWithoutWritingAnything() throws IOException {
    Map<String, String> before = contents();
    StateSummary state = Backups.verify(Backups.open(backup()));
    assertThat(state.revision()).isGreaterThan(1);
    assertThat(contents()).isEqualTo(before);
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    }
  }

  /** Whoever runs this as root may write all the same: then only the comparison counts. */
  private void permit(String directories, String files) throws IOException {
    List<Path> found;
    try (Stream<Path> all = Files.walk(backup())) {
      found = all.toList();
    }
    for (Path each : found) {
      String permissions = Files.isDirectory(each) ? directories : files;
      Files.setPosixFilePermissions(
          each, java.nio.file.attribute.PosixFilePermissions.fromString(permissions));
    }
  }

  /** Every file and directory, and when it was written last. */
  private Map<String, String> contents() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(backup())) {
      for (Path each : all.toList()) {
        found.put(each.toString(), Files.size(each) + " " + Files.getLastModifiedTime(each));
      }
    }
    return found;
  }
}
