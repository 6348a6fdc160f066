package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * A data directory that a version of Kvorum has left, kept so that later ones are held to it. Each
 * release that changes a format adds one; none is ever made anew, so nothing replaces a file that
 * is there. To make one:
 *
 * <pre>mvn -pl kv-server -am test -Dtest=GoldenDirectoryTest -Dgolden.update=true
 *     -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
final class GoldenDirectory {
  private static final Path KEPT =
      Path.of("src", "test", "resources", "golden", "data-directory-0.1.zip");

  static final long LEASE = 77;
  static final Duration LEASE_TTL = Duration.ofDays(365);
  static final int KEYS = 100;
  static final int LARGE = 12;
  static final int LARGE_BYTES = 1 << 20;
  static final long COMPACTED = 50;

  private GoldenDirectory() {}

  static Bytes key(int i) {
    return Bytes.utf8("key" + (1000 + i));
  }

  static Bytes value(int i) {
    return Bytes.utf8("value " + i);
  }

  /** Differs from the others, and takes little room when it is compressed. */
  static Bytes large(int i) {
    return Bytes.utf8((i + " of a large value. ").repeat(LARGE_BYTES).substring(0, LARGE_BYTES));
  }

  static ServerConfig config(Path directory) {
    SnapshotConfig often =
        SnapshotConfig.DEFAULT.withLogBytes(10L << 20).withLogBounds(1L << 30, 1L << 30);
    return ServerConfig.embedded(directory).segmentBytes(8 << 20).snapshots(often).build();
  }

  /** Revision 2 is the first put of a key. */
  static void make(Path directory) {
    try (KvNode node = KvNode.start(config(directory))) {
      for (int i = 0; i < KEYS; i++) {
        node.blocking().put(key(i), value(i));
      }
      for (int i = 0; i < 10; i++) {
        node.blocking().put(key(i), value(-i));
        node.blocking().delete(key(10 + i));
      }
      node.blocking().leases().grant(LEASE_TTL, LEASE);
      PutOptions leased = PutOptions.DEFAULT.withLease(LEASE);
      node.blocking().put(Bytes.utf8("leased"), Bytes.utf8("while it lives"), leased);
      node.blocking()
          .txn(
              Txn.of(
                  Op.put(Bytes.utf8("t1"), Bytes.utf8("one")),
                  Op.put(Bytes.utf8("t2"), Bytes.utf8("two"))));
      for (int i = 0; i < LARGE; i++) {
        node.blocking().put(Bytes.utf8("large" + i % 2), large(i));
      }
      node.blocking().compact(COMPACTED);
      Await.until(
          "a snapshot", Duration.ofSeconds(60), () -> node.status().join().snapshots().index() > 0);
      node.blocking().put(Bytes.utf8("last"), Bytes.utf8("behind the snapshot"));
    }
  }

  static boolean isKept() {
    return Files.exists(KEPT);
  }

  /** Keeps it. */
  static void pack(Path directory) {
    try (OutputStream file = Files.newOutputStream(KEPT);
        ZipOutputStream out = new ZipOutputStream(file);
        Stream<Path> all = Files.walk(directory)) {
      out.setLevel(Deflater.BEST_COMPRESSION);
      List<Path> files = all.filter(Files::isRegularFile).sorted().toList();
      for (Path each : files) {
        out.putNextEntry(new ZipEntry(directory.relativize(each).toString()));
        Files.copy(each, out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void unpack(Path directory) {
    try (InputStream file = Files.newInputStream(KEPT);
        ZipInputStream in = new ZipInputStream(file)) {
      for (ZipEntry each = in.getNextEntry(); each != null; each = in.getNextEntry()) {
        Path to = directory.resolve(each.getName());
        Files.createDirectories(Objects.requireNonNull(to.getParent()));
        Files.copy(in, to);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
