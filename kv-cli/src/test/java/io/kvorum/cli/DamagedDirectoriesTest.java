package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.log.LogConfig;
import io.kvorum.log.LogStore;
import io.kvorum.node.CheckedLines;
import io.kvorum.node.Foundation;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.server.KvNode;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.RestoredState;
import io.kvorum.server.store.StateSummary;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.snapshot.Draft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code doctor} and {@code recover} make of directories whose state is damaged: each has a
 * snapshot of the entries up to {@link #LAST}, and a log behind it.
 */
class DamagedDirectoriesTest {
  private static final int KEYS = 150;
  private static final EntryId LAST = new EntryId(2 * KEYS, 1);
  private static final LogConfig LOG =
      LogConfig.DEFAULT.withEntryBytesMax(1 << 20).withSegmentBytes(2 << 20);
  private static final String CONFIRMED = "--yes-lose-acknowledged-writes";

  private static final String IDENTITY = "kvorum-identity 1";

  private static Path begun = Path.of("");

  @TempDir private Path root;
  private final CommandLineHarness kvorum = new CommandLineHarness();

  /** Each key was first old, and is new now. */
  private static Entry entry(int index) {
    String what = index <= KEYS ? "old" : "new";
    int key = (index - 1) % KEYS;
    byte[] command =
        Commands.put(key(key), Bytes.utf8(what + " value " + key), PutOptions.DEFAULT, 1_000);
    return new Entry(index, 1, EntryType.COMMAND, command);
  }

  private static Bytes key(int key) {
    return Bytes.utf8("key" + key);
  }

  /** The state as of {@link #LAST}, and the snapshot of it. */
  @BeforeAll
  static void make(@TempDir Path made) {
    begun = made;
    Disk disk = RealDisk.at(made);
    RocksHome home = RocksHome.in(Foundation.stateDirectory(disk), RocksSettings.DEFAULT);
    KvStateMachine machine = KvStateMachine.open(home, StoreOptions.DEFAULT);
    List<Entry> all = new ArrayList<>();
    for (int i = 1; i <= LAST.index(); i++) {
      all.add(entry(i));
    }
    var unusedResults = machine.apply(all);
    machine.close();
    Draft draft = Foundation.snapshots(disk, "c").draft();
    StateSummary state = RestoredState.make(home, new RestoredState.Options(0, 0), draft.files());
    draft.publish(new SnapshotMeta(state.applied(), Membership.EMPTY), state.about());
  }

  /** The directory of a node, whose log goes on so far behind the snapshot. */
  private Path directory(String node, String voters, int entries) throws IOException {
    Path directory = root.resolve(node);
    try (Stream<Path> all = Files.walk(begun)) {
      for (Path each : all.toList()) {
        Files.copy(each, directory.resolve(begun.relativize(each)));
      }
    }
    Disk disk = RealDisk.at(directory);
    Membership members =
        Membership.of(Arrays.stream(voters.split(",", -1)).map(NodeId::new).toList());
    SplittableRandom random = new SplittableRandom(entries);
    new Foundation("c", "former", new NodeId(node), members, LAST, 7).write(disk, LOG, random);
    append(disk.directory("log"), entries, random);
    return directory;
  }

  private static void append(Disk directory, int entries, SplittableRandom random) {
    try (LogStore log = LogStore.open(directory, LOG, Runnable::run, random, 0)) {
      for (int i = 1; i <= entries; i++) {
        log.append(List.of(Entry.noOp(LAST.index() + i, 1)));
      }
      log.sync();
    }
  }

  /** Flips a bit in the table that holds this text. */
  private static Path damage(Path files, String text) throws IOException {
    byte[] wanted = text.getBytes(US_ASCII);
    for (Path table : tables(files)) {
      byte[] content = Files.readAllBytes(table);
      for (int at = 0; at < content.length - wanted.length; at++) {
        if (Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)) {
          content[at] ^= 1;
          Files.write(table, content);
          return table;
        }
      }
    }
    throw new AssertionError("no \"" + text + "\" in " + files);
  }

  private static List<Path> tables(Path state) throws IOException {
    try (Stream<Path> all = Files.list(state)) {
      return all.filter(each -> each.toString().endsWith(".sst")).toList();
    }
  }

  /** Every file with its bytes and time, and every directory. */
  private Map<String, String> contents() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.toList()) {
        int hash = Files.isDirectory(each) ? 0 : Arrays.hashCode(Files.readAllBytes(each));
        found.put(each.toString(), hash + " " + Files.getLastModifiedTime(each));
      }
    }
    return found;
  }

  private String doctor(Path... directories) throws IOException {
    Map<String, String> before = contents();
    List<String> words = new ArrayList<>(List.of("doctor"));
    Arrays.stream(directories).map(Path::toString).forEach(words::add);
    assertThat(kvorum.run(words.toArray(String[]::new))).isEqualTo(ExitCode.DAMAGED);
    assertThat(contents()).as("the doctor only looks").containsExactlyEntriesOf(before);
    return kvorum.out();
  }

  private int recover(Path directory, String... more) {
    List<String> words = new ArrayList<>(List.of("recover", "--node-id"));
    words.addAll(List.of(String.valueOf(directory.getFileName()), "--data-dir"));
    words.add(directory.toString());
    words.addAll(List.of(more));
    return kvorum.run(words.toArray(String[]::new));
  }

  private String report(Path directory) throws IOException {
    Map<String, String> before = contents();
    assertThat(recover(directory)).as(kvorum.err()).isZero();
    assertThat(contents()).as("a report changes nothing").isEqualTo(before);
    return kvorum.out();
  }

  private static void assertAllThere(Path directory, String cluster) {
    ServerConfig config =
        ServerConfig.embedded(directory)
            .nodeId(String.valueOf(directory.getFileName()))
            .clusterId(cluster)
            .segmentBytes(8 << 20)
            .build();
    try (KvNode node = KvNode.start(config)) {
      for (int revision : new int[] {1 + KEYS, 0}) {
        RangeOptions then = RangeOptions.DEFAULT.withRevision(revision);
        var found = node.blocking().range(KeyRange.prefix(Bytes.utf8("key")), then).keyValues();
        assertThat(found).hasSize(KEYS);
        String value = revision == 0 ? "new value " : "old value ";
        assertThat(found).allMatch(each -> each.value().toString().contains(value));
      }
    }
  }

  /** RocksDB opens it, and no key is wrong: only whoever reads the history would meet it. */
  @Test
  void damagedHistoryIsFoundAndNoClusterIsFoundedOnIt() throws IOException {
    Path n1 = directory("n1", "n1", 3);
    Path table = damage(n1.resolve("state"), "old value 0");
    String anew = "built anew from snapshot 300@1 and the log from entry 301 on";
    assertThat(doctor(n1))
        .contains("state       is damaged, though it can be opened: a start would not see it, and")
        .contains(anew, "damaged     the store in " + n1 + "/state: ", table.toString())
        .contains("before      mv " + n1 + "/state " + n1 + "/state.damaged\n")
        .contains("start [n1] with their directories")
        .contains("doctor: DAMAGED, 1 of 1 voters seen, 0 sound, 1 to build their state anew; 1");

    assertThat(report(n1))
        .contains("state       of no use: the store in " + n1 + "/state: ", table.toString())
        .contains("applied     term 1, index 300", "The state would be " + anew);
    assertThat(recover(n1, "--new-cluster-id", "rescued", CONFIRMED)).isZero();
    assertThat(kvorum.out()).contains("RECOVERED", anew, n1 + "/damaged-state");
    assertThat(n1.resolve("damaged-state")).isDirectoryContaining("glob:**.sst");
    assertAllThere(n1, "rescued");
  }

  @Test
  void aStateThatCannotBeOpenedIsRebuiltByARecoveryAsByAStart() throws IOException {
    Path n1 = directory("n1", "n1", 3);
    Files.delete(n1.resolve("state/CURRENT"));
    assertThat(doctor(n1))
        .contains("state       cannot be opened; a start will build it anew from snapshot 300@1")
        .contains("state: the file CURRENT is missing", "start [n1] with their directories")
        .doesNotContain("before  ");
    assertThat(report(n1)).contains("The state would be built anew from snapshot 300@1");
    assertThat(recover(n1, "--new-cluster-id", "rescued", CONFIRMED)).isZero();
    assertAllThere(n1, "rescued");
  }

  @Test
  void aStateThatIsMissingIsNotMadeByAReport() throws IOException {
    Path n1 = directory("n1", "n1", 0);
    Files.move(n1.resolve("state"), root.resolve("elsewhere"));
    assertThat(doctor(n1)).contains("state       missing; a start will build it anew from snap");
    assertThat(report(n1)).contains("The state would be built anew from snapshot 300@1");
    assertThat(n1.resolve("state")).doesNotExist();
  }

  /**
   * State and snapshot share their files while they are young: so what damages one damages both.
   */
  @Test
  void whatCannotBeBuiltAnewIsRefusedWithWhatIsLeft() throws IOException {
    Path n1 = directory("n1", "n1", 3);
    Path table = damage(n1.resolve("state"), "old value 0");
    Path snapshot = n1.resolve("snapshots/00000000000000000300-1/files");
    Files.copy(table, snapshot.resolve(String.valueOf(table.getFileName())), REPLACE_EXISTING);
    assertThat(doctor(n1))
        .contains("not used    snapshot 300@1: ", snapshot + "/")
        .contains("neither snapshots nor log suffice here to build it anew")
        .contains("snapshots   300@1 DAMAGED", "kvorum restore")
        .doesNotContain("kvorum recover");
    Map<String, String> before = contents();
    assertThat(recover(n1, "--new-cluster-id", "rescued", CONFIRMED)).isEqualTo(ExitCode.LOCAL);
    assertThat(kvorum.err())
        .contains("the state is of no use", table.toString())
        .contains("left are the entries 301 to 303@1 of the log, and no sound snapshot (snapshot")
        .contains(" (snapshot 300@1: ", snapshot + "/")
        .endsWith("; nothing was changed\n");
    assertThat(contents()).isEqualTo(before);
  }

  /** The newest one has forgotten its vote, one has no state left, and the third is behind. */
  @Test
  void ofThreeDirectoriesTheAdviceIsTheOneThatWorks() throws IOException {
    Path n1 = directory("n1", "n1,n2,n3", 9);
    Path n2 = directory("n2", "n1,n2,n3", 5);
    Path n3 = directory("n3", "n1,n2,n3", 2);
    damage(n2.resolve("state"), "new value 0");
    assertThat(doctor(n1, n2, n3))
        .contains("newest      n1, to 309@1", "before      mv " + n2 + "/state ")
        .contains("start [n1, n2, n3] with their directories: they are a majority")
        .doesNotContain("kvorum recover")
        .contains("3 of 3 voters seen, 2 sound, 1 to build their state anew; 1 problems of n2");

    Files.delete(n1.resolve("vote"));
    damage(n3.resolve("state"), "new value 0");
    Files.delete(n3.resolve("snapshots/00000000000000000300-1/files/CURRENT"));
    String advice = doctor(n1, n2, n3);
    assertThat(advice)
        .contains("else        no majority is left. Acknowledged writes that only others held")
        .contains("up to 5 entries behind 300@1 become committed")
        .contains("n2, to 305@1 in " + n2 + ", loses the entries 306 to 309, which n1 has\n")
        .doesNotContain("n3, to ")
        .contains("its state is damaged, and is then built anew from snapshot 300@1");
    String command =
        advice.lines().filter(each -> each.contains("kvorum recover")).findFirst().orElseThrow();
    String[] words = command.strip().replace("NEW", "rescued").split(" ", -1);
    assertThat(kvorum.run(Arrays.copyOfRange(words, 1, words.length))).isZero();
    assertAllThere(n2, "rescued");
  }

  /** All of it is in the log, so nothing says what of it was committed. */
  private Path directoryOfAWholeLog() throws IOException {
    Path n1 = directory("n1", "n1", 0);
    try (Stream<Path> log = Files.list(n1.resolve("log"))) {
      for (Path each : log.toList()) {
        Files.delete(each);
      }
    }
    try (LogStore log =
        LogStore.open(
            RealDisk.at(n1.resolve("log")), LOG, Runnable::run, new SplittableRandom(7), 0)) {
      for (int i = 1; i <= LAST.index(); i++) {
        log.append(List.of(entry(i)));
      }
      log.sync();
    }
    Files.delete(n1.resolve("state/CURRENT"));
    return n1;
  }

  @Test
  void aSecondRecoveryIsCalmAboutWhatTheFirstLeavesToTheStart() throws IOException {
    Path n1 = directoryOfAWholeLog();
    assertThat(report(n1))
        .contains("applied     unknown", "state       of no use: ", "CURRENT is missing")
        .contains("not used    snapshot 300@1: the log holds every entry from the first one on")
        .contains("- Up to 300 entries become committed")
        .contains("The state would be built anew from the log from entry 1 on");
    assertThat(recover(n1, "-o", "json")).isZero();
    assertThat(kvorum.out())
        .contains("\"appliedTerm\":null,\"appliedIndex\":null", "\"onlyMember\":true")
        .contains("\"snapshotsNotUsed\":[\"snapshot 300@1: the log holds");

    assertThat(recover(n1, "--new-cluster-id", "rescued", CONFIRMED)).isZero();
    assertThat(kvorum.out()).contains("RECOVERED");
    String calm = "state       none yet: the next start builds it anew from the log from entry 1";
    assertThat(report(n1))
        .contains(calm, "applied     nothing yet")
        .contains("Nothing was changed. n1 is the only member of cluster rescued already")
        .doesNotContain("of no use", "would be", "committed");
    assertThat(recover(n1, "--new-cluster-id", "rescued", CONFIRMED)).isZero();
    assertThat(kvorum.out())
        .contains(calm, "This was recovered before; nothing was changed.")
        .doesNotContain("of no use", "missing");
    assertAllThere(n1, "rescued");
  }

  @Test
  void aSnapshotThatIsNotUsedSaysWhy() throws IOException {
    Path n1 = directory("n1", "n1", 3);
    Files.delete(n1.resolve("state/CURRENT"));
    RealDisk disk = RealDisk.at(n1);
    List<String> identity = new ArrayList<>(CheckedLines.read(disk, "identity", IDENTITY));
    identity.set(0, "cluster other");
    CheckedLines.write(disk, "identity", IDENTITY, identity);
    String foreign = "snapshot 300@1: it is of another cluster, c";
    assertThat(doctor(n1)).contains("not used    " + foreign + "\n");
    assertThat(recover(n1)).isEqualTo(ExitCode.LOCAL);
    assertThat(kvorum.err()).contains("no sound snapshot (" + foreign + ")");

    Path n2 = directory("n2", "n2", 3);
    Files.delete(n2.resolve("state/CURRENT"));
    Disk directory = RealDisk.at(n2.resolve("log"));
    try (LogStore log = LogStore.open(directory, LOG, Runnable::run, new SplittableRandom(7), 0)) {
      log.reset(new EntryId(LAST.index() + 9, 1));
    }
    String early = "snapshot 300@1: it ends before the log begins, which is after 309@1";
    assertThat(doctor(n2)).contains("not used    " + early);
    assertThat(recover(n2)).isEqualTo(ExitCode.LOCAL);
    assertThat(kvorum.err()).contains("snapshots [300@1] (" + early + ")");
  }
}
