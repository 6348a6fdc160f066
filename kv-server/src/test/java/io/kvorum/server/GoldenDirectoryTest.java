package io.kvorum.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException;
import io.kvorum.api.LeaseStatus;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchOptions;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.server.inspect.NodeLook;
import io.kvorum.server.inspect.Quiet;
import io.kvorum.server.inspect.SnapshotLook;
import io.kvorum.snapshot.SnapshotRefusedException;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * FAULTS F165: what a version has left on the disk, later ones read; what a later one has, none.
 */
class GoldenDirectoryTest {
  /** The hash of the state that the golden directory holds. */
  private static final String HASH = "254ac840f18ee3b04a56ddee06e914ed";

  @TempDir private Path temporary;

  private Path data() {
    return temporary.resolve("n1");
  }

  @BeforeAll
  static void record(@TempDir Path made) {
    if (Boolean.getBoolean("golden.update") && !GoldenDirectory.isKept()) {
      GoldenDirectory.make(made);
      GoldenDirectory.pack(made);
    }
  }

  @BeforeEach
  void unpack() {
    GoldenDirectory.unpack(data());
  }

  private NodeLook look() {
    try (Quiet quiet = Quiet.on(data())) {
      return NodeLook.at(data(), quiet);
    }
  }

  @Test
  void itHasAllKindsOfFilesAndIsSound() throws IOException {
    Map<String, Integer> before = contents();
    NodeLook look = look();
    assertThat(look.problems()).isEmpty();
    assertThat(look.isSound()).isTrue();
    assertThat(Objects.requireNonNull(look.state().said()).hash()).hasToString(HASH);
    assertThat(look.snapshots()).hasSize(1);
    assertThat(look.snapshots()).extracting(SnapshotLook::problem).containsOnlyNulls();
    assertThat(before.keySet().stream().filter(name -> name.endsWith(".log")).toList())
        .hasSizeGreaterThanOrEqualTo(2);
    assertThat(before.keySet()).anyMatch(name -> name.endsWith(".idx"));
    assertThat(before).containsKeys("vote", "identity", "peers", "origin");
    assertThat(contents()).isEqualTo(before);
  }

  @Test
  void everythingInItIsReadBack() {
    try (KvNode node = KvNode.start(GoldenDirectory.config(data()))) {
      assertKeys(node);
      LeaseStatus lease = node.blocking().leases().status(GoldenDirectory.LEASE, true);
      assertThat(lease.exists()).isTrue();
      assertThat(lease.ttl()).isEqualTo(GoldenDirectory.LEASE_TTL);
      assertThat(lease.keys()).containsExactly(Bytes.utf8("leased"));
      assertHistory(node);
      node.blocking().put(Bytes.utf8("new"), Bytes.utf8("it goes on"));
      assertThat(revision(node)).isEqualTo(LAST + 1);
    }
  }

  private static final long LAST =
      1 + GoldenDirectory.KEYS + 20 + 1 + 1 + GoldenDirectory.LARGE + 1;

  private static long revision(KvNode node) {
    return node.blocking().get(Bytes.utf8("none")).header().revision();
  }

  private static void assertKeys(KvNode node) {
    assertThat(revision(node)).isEqualTo(LAST);
    for (int i = 0; i < GoldenDirectory.KEYS; i++) {
      var found = node.blocking().get(GoldenDirectory.key(i)).keyValue();
      if (i >= 10 && i < 20) {
        assertThat(found).isEmpty();
        continue;
      }
      Bytes value = GoldenDirectory.value(i < 10 ? -i : i);
      long changed = i < 10 ? GoldenDirectory.KEYS + 2 + 2L * i : i + 2;
      assertThat(found)
          .contains(new KeyValue(GoldenDirectory.key(i), value, i + 2, changed, i < 10 ? 2 : 1, 0));
    }
    assertThat(node.blocking().get(Bytes.utf8("large1")).value())
        .contains(GoldenDirectory.large(GoldenDirectory.LARGE - 1));
    assertThat(node.blocking().get(Bytes.utf8("leased")).keyValue().orElseThrow().lease())
        .isEqualTo(GoldenDirectory.LEASE);
    assertThat(node.blocking().get(Bytes.utf8("t2")).value()).contains(Bytes.utf8("two"));
    assertThat(node.blocking().get(Bytes.utf8("last")).keyValue().orElseThrow().modRevision())
        .isEqualTo(LAST);
  }

  private static void assertHistory(KvNode node) {
    GetOptions then = GetOptions.DEFAULT.withRevision(GoldenDirectory.KEYS + 1);
    assertThat(node.blocking().get(GoldenDirectory.key(15), then).value())
        .contains(GoldenDirectory.value(15));
    GetOptions before = GetOptions.DEFAULT.withRevision(GoldenDirectory.COMPACTED - 1);
    assertThatThrownBy(() -> node.blocking().get(GoldenDirectory.key(1), before))
        .isInstanceOf(KvException.Rejected.class)
        .hasMessageContaining("compacted");
    Recorder heard = new Recorder();
    WatchOptions from = WatchOptions.DEFAULT.withFromRevision(GoldenDirectory.COMPACTED);
    try (Watch watch = node.watch(KeyRange.all(), from, heard)) {
      int events = (int) (LAST - GoldenDirectory.COMPACTED) + 2;
      Await.until("all events", Duration.ofSeconds(30), () -> heard.events().size() == events);
      assertThat(watch.started()).isCompletedWithValue(GoldenDirectory.COMPACTED);
    }
    assertThat(heard.events())
        .extracting(WatchEvent::revision)
        .isSorted()
        .startsWith(GoldenDirectory.COMPACTED)
        .endsWith(LAST);
  }

  // ---- files of a later version ----

  /** Whoever goes back to an older version must find what the newer one has left untouched. */
  @Test
  void filesOfALaterVersionAreRefusedBeforeAnythingIsChanged() throws IOException {
    for (String name : List.of("identity", "peers", "origin")) {
      String text = Files.readString(data().resolve(name));
      String body = text.substring(0, text.lastIndexOf("crc ")).replaceFirst(" 1\n", " 2\n");
      CRC32C crc = new CRC32C();
      crc.update(body.getBytes(UTF_8));
      String newer = body + String.format(Locale.ROOT, "crc %08x\n", crc.getValue());
      String format = "kvorum-" + name;
      assertRefused(data().resolve(name), newer.getBytes(UTF_8), format + " 2", format + " 1");
    }
    Path vote = data().resolve("vote");
    byte[] bytes = Files.readAllBytes(vote);
    bytes[4] = 3;
    bytes[4096 + 4] = 3;
    assertRefused(vote, bytes, "format 3", "up to 2");

    Path segment = file("log", ".log");
    bytes = Files.readAllBytes(segment);
    bytes[8] = 2;
    little(bytes).putInt(40, crc(bytes, 40));
    assertRefused(segment, bytes, "format 2", "up to 1");

    Path manifest = file("snapshots", "MANIFEST");
    bytes = Files.readAllBytes(manifest);
    bytes[8] = 2;
    little(bytes).putInt(bytes.length - 4, crc(bytes, bytes.length - 4));
    assertRefused(manifest, bytes, "format 2", "format 1");
  }

  private Path file(String directory, String ending) throws IOException {
    try (Stream<Path> all = Files.walk(data().resolve(directory))) {
      return all.filter(each -> each.toString().endsWith(ending))
          .sorted()
          .findFirst()
          .orElseThrow();
    }
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int crc(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    return (int) crc.getValue();
  }

  private void assertRefused(Path file, byte[] newer, String found, String known)
      throws IOException {
    byte[] own = Files.readAllBytes(file);
    Files.write(file, newer);
    Map<String, Integer> before = contents();
    assertThatThrownBy(() -> KvNode.start(GoldenDirectory.config(data())))
        .isInstanceOfAny(DataDirectoryException.class, SnapshotRefusedException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(found)
        .hasMessageContaining(known);
    assertThat(contents()).isEqualTo(before);
    Files.write(file, own);
  }

  /** Every file by the hash of its bytes; what a lock file holds means nothing. */
  private Map<String, Integer> contents() throws IOException {
    Map<String, Integer> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(data())) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        if (!String.valueOf(each.getFileName()).equals("lock")) {
          byte[] bytes = Files.readAllBytes(each);
          found.put(data().relativize(each).toString(), Arrays.hashCode(bytes));
        }
      }
    }
    return found;
  }
}
