package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.server.KvNode;
import io.kvorum.server.ServerConfig;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What looks at directories on which no node runs: {@code log}, {@code snapshot}, {@code doctor}.
 */
class OfflineCommandsTest {
  private static final int PUTS = 40;

  @TempDir private Path directory;
  private final CommandLineHarness kvorum = new CommandLineHarness();

  private Path data() {
    return directory.resolve("n1");
  }

  private KvNode start() {
    return start(SnapshotConfig.NEVER);
  }

  private KvNode start(SnapshotConfig snapshots) {
    return KvNode.start(
        ServerConfig.embedded(data()).segmentBytes(8 << 20).snapshots(snapshots).build());
  }

  private void write(boolean takesSnapshot) {
    SnapshotConfig often = SnapshotConfig.DEFAULT.withLogBytes(2 << 10);
    try (KvNode node = start(takesSnapshot ? often : SnapshotConfig.NEVER)) {
      for (int i = 0; i < PUTS; i++) {
        node.blocking().put(Bytes.utf8("key" + i), Bytes.utf8("secret value " + i));
      }
      if (takesSnapshot) {
        Await.until(
            "a snapshot of its state",
            Duration.ofSeconds(30),
            () -> node.status().join().snapshots().index() > 0);
      }
    }
  }

  /** Every file with its bytes and time, and every directory. */
  private static Map<String, String> contents(Path tree) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path each : all.toList()) {
        String what =
            Files.isDirectory(each)
                ? "directory"
                : Arrays.hashCode(Files.readAllBytes(each)) + " of " + Files.size(each);
        found.put(each.toString(), what + " " + Files.getLastModifiedTime(each));
      }
    }
    return found;
  }

  private Path segment() throws IOException {
    try (Stream<Path> all = Files.list(data().resolve("log"))) {
      return all.filter(each -> each.toString().endsWith(".log")).findFirst().orElseThrow();
    }
  }

  /** Flips a bit in the record that holds this text. */
  private void damage(Path file, String text) throws IOException {
    byte[] content = Files.readAllBytes(file);
    content[find(content, text)] ^= 1;
    Files.write(file, content);
  }

  /** Nothing is left of a file from the record on that holds this text. */
  private void loseFrom(Path file, String text) throws IOException {
    byte[] content = Files.readAllBytes(file);
    Arrays.fill(content, find(content, text), content.length, (byte) 0);
    Files.write(file, content);
  }

  private static int find(byte[] content, String text) {
    byte[] wanted = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    for (int at = 0; at < content.length - wanted.length; at++) {
      if (Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    throw new AssertionError("no \"" + text + "\" there");
  }

  @Test
  void theLogIsVerifiedAndDumped() throws IOException {
    write(false);
    Map<String, String> before = contents(data());
    assertThat(kvorum.run("log", "verify", data().toString())).isZero();
    assertThat(kvorum.out()).contains("1 segments, entries 1 to ").endsWith("log: OK\n");
    assertThat(kvorum.run("log", "verify", data() + "/log")).isZero();

    assertThat(kvorum.run("log", "dump", data().toString())).isZero();
    assertThat(kvorum.out().lines().toList()).hasSizeGreaterThanOrEqualTo(PUTS);
    assertThat(kvorum.out())
        .startsWith("1 1 no_op 0 -\n")
        .contains("put \"key7\" value=14B session=")
        .doesNotContain("secret");
    assertThat(kvorum.run("log", "dump", data().toString(), "--from", "5", "--limit=2")).isZero();
    assertThat(kvorum.out().lines().toList()).hasSize(2);
    assertThat(kvorum.out()).startsWith("5 1 command ");
    assertThat(contents(data())).isEqualTo(before);
  }

  @Test
  void damageOfTheLogIsNamedWithFileAndOffset() throws IOException {
    write(false);
    damage(segment(), "secret value 9");
    Map<String, String> before = contents(data());
    assertThat(kvorum.run("log", "verify", data().toString())).isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out())
        .contains("damaged: " + segment() + ", offset ")
        .containsPattern("log: DAMAGED, whole up to 1[0-9]@1; it reached 4[0-9]@1 at least\n");
    assertThat(kvorum.run("log", "dump", data().toString())).isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out()).contains("put \"key8\"").doesNotContain("put \"key9\"");
    assertThat(kvorum.err()).contains(segment() + ", offset ");

    assertThat(kvorum.run("doctor", data().toString())).isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out())
        .contains("damaged     " + segment() + ", offset ")
        .contains("kvorum restore")
        .containsPattern("doctor: DAMAGED, 1 of 1 voters seen, 0 sound; 1 problems of n1\n$");
    assertThat(contents(data())).isEqualTo(before);

    // All that came later is gone, and with it whatever in the log could tell.
    loseFrom(segment(), "secret value 8");
    assertThat(kvorum.run("log", "verify", data().toString())).isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out())
        .containsPattern(
            "offset [0-9]+, entry .*entries up to 4[0-9] are known to have been durable")
        .containsPattern("log: DAMAGED, whole up to 1[0-9]@1; it reached 4[0-9]@1 at least\n");
  }

  @Test
  void theDoctorChangesNothingAndSaysWhatThereIs() throws IOException {
    write(true);
    Map<String, String> before = contents(data());
    assertThat(kvorum.run("doctor", data().toString())).isZero();
    assertThat(kvorum.out())
        .contains("node        n1 of cluster kvorum, ready")
        .contains("vote        term 1, voted for n1")
        .containsPattern("log         entries 1 to 4[0-9]@1\n")
        .containsPattern("state       applied 4[0-9]@1, revision 41, compacted to 0, hash ")
        .containsPattern("snapshots   [0-9]+@1 sound\n")
        .contains("newest      n1, to ")
        .contains("start [n1]")
        .endsWith("doctor: OK, 1 of 1 voters seen, 1 sound\n");
    assertThat(contents(data())).isEqualTo(before);
  }

  /** One that was quarantined has kept what was wrong; another directory shows in which keys. */
  @Test
  void theDoctorNamesTheKeysThatWereWrong() throws IOException {
    write(false);
    Path healthy = directory.resolve("healthy");
    copy(data(), healthy);
    try (KvNode node = start()) {
      node.blocking().put(Bytes.utf8("key3"), Bytes.utf8("wrong"));
    }
    copy(data().resolve("state"), data().resolve("diverged"));
    Files.writeString(
        data().resolve("quarantine"),
        checked(
            "kvorum-quarantine 1\nstate quarantined\ncount 1\nverdict 30\nown 20 1 aa\n"
                + "agreed 20 1 bb\n"));
    Map<String, String> before = contents(directory);
    assertThat(kvorum.run("doctor", data().toString(), healthy.toString()))
        .isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out())
        .contains("mark        quarantined: its state behind entry 20 has hash aa")
        .contains(
            "evidence    the state kept in diverged differs from that of n1 in 1 keys:"
                + " \"key3\" (is another)\n");
    assertThat(contents(directory)).isEqualTo(before);
  }

  private static String checked(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return text + String.format(java.util.Locale.ROOT, "crc %08x\n", crc.getValue());
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    }
  }

  @Test
  void theDoctorFindsALostVote() throws IOException {
    write(false);
    Files.delete(data().resolve("vote"));
    Map<String, String> before = contents(data());
    assertThat(kvorum.run("doctor", data().toString())).isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out())
        .contains("vote        not known")
        .contains("there is no vote file")
        .contains("doctor: DAMAGED");
    assertThat(contents(data())).isEqualTo(before);
  }

  /** What is no file is not there, for a look; and a start stops when it would write it. */
  @Test
  void theDoctorNamesWhatStandsWhereAFileHasToBe() throws IOException {
    write(false);
    Path durable = data().resolve("log/durable");
    Files.delete(durable);
    Files.createDirectory(durable);
    Path reserve = data().resolve("reserve");
    Files.deleteIfExists(reserve);
    Files.createSymbolicLink(reserve, Path.of("nowhere"));
    assertThat(kvorum.run("doctor", data().toString())).isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out())
        .contains(
            "damaged     " + durable + " is a directory, where a file of the node has to be: ")
        .contains("damaged     " + reserve + " is neither file nor directory", "move it away")
        .contains("before      mv " + durable + " " + durable + ".misplaced\n")
        .contains("start [n1] with their directories")
        .doesNotContain("kvorum recover", "cannot return")
        .endsWith(
            "doctor: DAMAGED, 1 of 1 voters seen, 0 sound, 1 to be cleared; 2 problems of n1\n");
    assertThat(kvorum.run("recover", "--data-dir", data().toString(), "--node-id", "n1"))
        .isEqualTo(ExitCode.LOCAL);
    assertThat(kvorum.err()).contains(durable + " is a directory", "nothing was changed");

    Files.move(durable, data().resolve("log/durable.misplaced"));
    Files.move(reserve, data().resolve("reserve.misplaced"));
    start().close();
    assertThat(kvorum.run("doctor", data().toString())).isZero();

    Files.delete(data().resolve("vote"));
    Files.createDirectory(data().resolve("vote"));
    assertThat(kvorum.run("doctor", data().toString())).isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out())
        .contains("there is no vote file", data() + "/vote is a directory", "bring back what was")
        .doesNotContain("before");
  }

  /** Killed before it had promised anything: there is nothing to be afraid of. */
  @Test
  void theDoctorIsCalmAboutAFirstStartThatWasCutShort() throws IOException {
    Files.createDirectories(data().resolve("log"));
    Files.writeString(
        data().resolve("identity"),
        checked("kvorum-identity 1\ncluster c\nnode n1\nincarnation 1\nstate initializing\n"));
    Map<String, String> before = contents(data());
    assertThat(kvorum.run("doctor", data().toString())).isZero();
    assertThat(kvorum.out())
        .contains("vote        none yet", "state       none yet")
        .contains("mark        was ended in its first start: it has promised nothing")
        .doesNotContain("damaged ", "recover")
        .containsPattern("doctor: OK, .*\n$");
    assertThat(contents(data())).isEqualTo(before);
  }

  @Test
  void aSnapshotIsInspected() throws IOException {
    write(true);
    Map<String, String> before = contents(data());
    assertThat(kvorum.run("snapshot", "inspect", data().toString())).isZero();
    assertThat(kvorum.out())
        .contains("cluster     kvorum\n")
        .containsPattern("state       revision [0-9]+, hash ")
        .contains("members     voters=[n1]")
        .containsPattern("file        .*\\.sst [0-9]+ [0-9a-f]{64}")
        .endsWith("snapshot: OK\n");
    Path snapshot = onlyOneIn(data().resolve("snapshots"));
    assertThat(kvorum.run("snapshot", "inspect", snapshot.toString())).isZero();
    assertThat(contents(data())).isEqualTo(before);

    Path current = snapshot.resolve("files").resolve("CURRENT");
    byte[] content = Files.readAllBytes(current);
    content[0] ^= 1;
    Files.write(current, content);
    assertThat(kvorum.run("snapshot", "inspect", snapshot.toString())).isEqualTo(ExitCode.DAMAGED);
    assertThat(kvorum.out()).contains("snapshot: DAMAGED, " + current);
  }

  private static Path onlyOneIn(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.findFirst().orElseThrow();
    }
  }

  @Test
  void aRunningNodeIsLeftAlone() {
    write(false);
    try (KvNode node = start()) {
      for (String[] command :
          new String[][] {
            {"log", "verify"}, {"log", "dump"}, {"snapshot", "inspect"}, {"doctor"}
          }) {
        String[] all = Arrays.copyOf(command, command.length + 1);
        all[command.length] = data().toString();
        assertThat(kvorum.run(all)).isEqualTo(ExitCode.LOCAL);
        assertThat(kvorum.err()).contains("in use").contains("stop the node first");
      }
      assertThat(node.failure()).isNotDone();
    }
    assertThat(kvorum.run("doctor", directory + "/nowhere")).isEqualTo(ExitCode.LOCAL);
    assertThat(kvorum.err()).contains("is no directory");
  }

  @Test
  void theDoctorNamesAllOnWhichNodesRun() {
    List<Path> running = List.of(data(), directory.resolve("n2"));
    write(false);
    try (KvNode one = start();
        KvNode other = KvNode.start(ServerConfig.embedded(running.get(1)).build())) {
      assertThat(kvorum.run("doctor", data().toString(), running.get(1).toString()))
          .isEqualTo(ExitCode.LOCAL);
      assertThat(kvorum.err())
          .contains(running.get(0) + ", " + running.get(1) + " are in use: stop these nodes first");
      assertThat(one.failure()).isNotDone();
      assertThat(other.failure()).isNotDone();
    }
    assertThat(kvorum.run("doctor", data().toString(), directory + "/a", directory + "/b"))
        .isEqualTo(ExitCode.LOCAL);
    assertThat(kvorum.err()).contains(directory + "/a, " + directory + "/b are no directories");
  }
}
