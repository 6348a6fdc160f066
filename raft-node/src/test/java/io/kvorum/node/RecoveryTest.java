package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.disk.Disk;
import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.LogConfig;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.snapshot.Draft;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The offline recovery of one survivor, on a disk that loses what was not synced. */
class RecoveryTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final Membership THREE =
      Membership.of(List.of(N1, new NodeId("n2"), new NodeId("n3")));
  private static final LogConfig SMALL_LOG =
      LogConfig.DEFAULT.withEntryBytesMax(1 << 10).withSegmentBytes(16 << 10);
  private static final EntryId LAST = new EntryId(3, 2);
  private static final String SNAPSHOT = "00000000000000000002-2";

  @Test
  void aSurvivorIsAloneInANewClusterAndKeepsItsLog() {
    SimulatedDisk disk = survivor(1);
    try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
      Recovery.Report report = inspect(recovery);
      assertThat(report.clusterId()).isEqualTo("old");
      assertThat(report.last()).isEqualTo(LAST);
      assertThat(report.term()).isEqualTo(7);
      assertThat(report.membership()).isEqualTo(THREE);
      assertThat(recovery.recover(SMALL_LOG, "new")).isTrue();
    }
    assertRecovered(disk, 8);
    try (Recovery again = Recovery.open(disk, N1, random(3))) {
      assertThat(inspect(again).membership().members()).containsExactly(N1);
      assertThat(again.recover(SMALL_LOG, "new")).as("all was done").isFalse();
    }
  }

  @Test
  void lookingChangesNothingThatANodeWouldMiss() {
    SimulatedDisk disk = survivor(1);
    try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
      inspect(recovery);
    }
    try (DataDirectory directory = DataDirectory.open(disk, "old", N1, random(4))) {
      DataDirectory.Opened opened = openLog(directory, 1);
      assertThat(opened.log().last()).isEqualTo(LAST);
      assertThat(opened.voteFile().load()).isEqualTo(new HardState(7, new NodeId("n2")));
      close(opened);
    }
  }

  /** F043, F048: whatever a crash leaves is the old node, or nobody's before it is run again. */
  @Test
  void everyCrashLeavesTheOldDirectoryOrOneThatOnlyARecoveryOpens() {
    int refused = 0;
    int untouched = 0;
    boolean completed = false;
    for (int call = 1; !completed; call++) {
      for (int variant = 0; variant < 6; variant++) {
        SimulatedDisk disk = survivor(variant);
        completed = crashed(disk, call, variant % 2 == 0, new Sound());
        disk.crash();
        disk.restart();
        if (!completed) {
          String state = stateSeenByANode(disk, call, variant);
          refused += state.equals("refused") ? 1 : 0;
          untouched += state.equals("old") ? 1 : 0;
        }
        try (Recovery again = Recovery.open(disk, N1, random(call))) {
          inspect(again);
          again.recover(SMALL_LOG, "new");
        }
        disk.crash();
        disk.restart();
        assertRecovered(disk, 8);
      }
    }
    assertThat(refused).as("crashes in the middle").isGreaterThan(20);
    assertThat(untouched).as("crashes before anything was changed").isGreaterThan(5);
  }

  private static boolean crashed(
      SimulatedDisk disk, int call, boolean before, Recovery.StateFiles files) {
    if (before) {
      disk.crashBefore(call);
    } else {
      disk.crashAfter(call);
    }
    // Not closed when it crashes: its process is gone.
    try {
      Recovery recovery = Recovery.open(disk, N1, random(call));
      recovery.inspect(files);
      recovery.recover(SMALL_LOG, "new");
      return true;
    } catch (SimulatedCrash lost) {
      return false;
    }
  }

  /** What starts of the old node and of the new one make of it; exactly one of them may work. */
  private static String stateSeenByANode(SimulatedDisk disk, int call, int variant) {
    String as = "call " + call + " variant " + variant;
    try (DataDirectory directory = DataDirectory.open(disk, "old", N1, random(call))) {
      DataDirectory.Opened opened = openLog(directory, 1);
      assertThat(opened.log().last()).as(as).isEqualTo(LAST);
      assertThat(opened.voteFile().load().currentTerm()).as(as).isEqualTo(7);
      close(opened);
      return "old";
    } catch (DataDirectoryException notOld) {
      assertThat(notOld).as(as).hasMessageContaining("cluster new");
    }
    try (DataDirectory directory = DataDirectory.open(disk, "new", N1, random(call))) {
      assertThat(directory.incarnation()).as(as).isNotZero();
      return "new";
    } catch (DataDirectoryException half) {
      assertThat(half).as(as).hasMessageContaining("half recovered");
      return "refused";
    }
  }

  /** As a start would do it: from the snapshot, and what is damaged is kept to be looked at. */
  @Test
  void aDamagedStateIsBuiltAnewWhateverCrashComesBetween() {
    boolean completed = false;
    int crashes = 0;
    while (!completed) {
      crashes++;
      for (boolean before : new boolean[] {true, false}) {
        SimulatedDisk disk = survivorWithDamagedState(crashes);
        completed = crashed(disk, crashes, before, new Files(disk));
        disk.crash();
        disk.restart();
        try (Recovery again = Recovery.open(disk, N1, random(2))) {
          again.inspect(new Files(disk));
          again.recover(SMALL_LOG, "new");
        }
        assertRebuilt(disk, "call " + crashes);
      }
    }
    assertThat(crashes).isGreaterThan(30);
  }

  private static void assertRebuilt(SimulatedDisk disk, String as) {
    assertThat(disk.directory("state").read("some")).as(as).containsExactly(1);
    assertThat(disk.directory("damaged-state").read("some")).as(as).containsExactly(9);
    assertThat(disk.exists(InstallMark.FILE)).as(as).isFalse();
    try (DataDirectory directory = DataDirectory.open(disk, "new", N1, random(5))) {
      DataDirectory.Opened opened = openLog(directory, 0);
      assertThat(opened.log().compacted()).as(as).isEqualTo(new EntryId(2, 2));
      assertThat(opened.log().last().index()).as(as).isEqualTo(4);
      close(opened);
    }
  }

  @Test
  void aDamagedStateWithNothingToBuildItFromIsRefused() {
    SimulatedDisk disk = survivorWithDamagedState(1);
    disk.directory("snapshots").directory(SNAPSHOT).directory("files").flipBit("some", 3);
    try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
      assertThatThrownBy(() -> recovery.inspect(new Files(disk)))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("the state is of no use: it holds a 9")
          .hasMessageContaining("left are the entries 3 to 3@2 of the log, and no sound snapshot");
    }
  }

  /**
   * What has applied more than the log holds is of another time, whatever else is wrong with it.
   */
  @Test
  void aDamagedStateThatIsAheadOfTheLogIsNotReplacedByAnOlderOne() {
    SimulatedDisk disk = survivorWithDamagedState(1);
    try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
      Files ahead = new Files(disk, new EntryId(3, 3));
      assertThatThrownBy(() -> recovery.inspect(ahead))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("the log does not hold 3@3, which the state has applied");
    }
  }

  @Test
  void whatIsNotASurvivorIsRefused() {
    SimulatedDisk disk = survivor(1);
    assertThatThrownBy(() -> Recovery.open(disk, new NodeId("n2"), random(2)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("belongs to node n1");
    try (DataDirectory running = DataDirectory.open(disk, "old", N1, random(4))) {
      assertThat(running.incarnation()).isNotZero();
      try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
        inspect(recovery);
        assertThatThrownBy(() -> recovery.recover(SMALL_LOG, "new"))
            .isInstanceOf(DirectoryInUseException.class);
      }
    }
    try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
      inspect(recovery);
      assertThatThrownBy(() -> recovery.recover(SMALL_LOG, "old"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must differ");
    }
    SimulatedDisk empty = SimulatedDisk.create(random(1));
    assertThatThrownBy(() -> Recovery.open(empty, N1, random(2)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("no data directory");
  }

  @Test
  void aDamagedLogIsRefused() {
    SimulatedDisk disk = survivor(1);
    SimulatedDisk log = disk.directory("log");
    String segment = log.list().stream().filter(name -> name.endsWith(".log")).findFirst().get();
    // In the payload of the first record, behind the page of the header.
    log.flipBit(segment, 8L * (4096 + 33));
    try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
      assertThatThrownBy(() -> inspect(recovery))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining(segment + ", offset ")
          .hasMessageContaining("it once reached 3@2");
    }
  }

  /** F034: it may be all that is left, but who recovers it has to know; and then it votes. */
  @Test
  void aLogThatLacksSomethingIsTold() {
    SimulatedDisk disk = survivor(1);
    try (VoteFile vote = VoteFile.open(disk, true)) {
      vote.store(vote.load().losing());
    }
    try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
      assertThat(inspect(recovery).lacking()).isTrue();
      assertThat(recovery.recover(SMALL_LOG, "new")).isTrue();
    }
    try (Recovery again = Recovery.open(disk, N1, random(3))) {
      assertThat(inspect(again).lacking()).isFalse();
    }
  }

  /** F148: nobody would be left to rebuild it from. */
  @Test
  void aWrongStateIsRefused() {
    SimulatedDisk disk = survivor(1);
    Divergence divergence =
        new Divergence(3, new StateSum(2, 1, "0".repeat(32)), new StateSum(2, 1, "1".repeat(32)));
    new QuarantineMark(disk).set(new QuarantineMark.Found(true, 1, divergence));
    assertThatThrownBy(() -> Recovery.open(disk, N1, random(2)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("its state is wrong");
  }

  @Test
  void aRecoveryThatWasCutShortGoesOnUnderItsOwnNameOnly() {
    SimulatedDisk disk = survivor(1);
    new Identity("new", N1, 5, Identity.State.RECOVERING).write(disk);
    try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
      assertThat(inspect(recovery).half()).isTrue();
      assertThatThrownBy(() -> recovery.recover(SMALL_LOG, "old"))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("half recovered to cluster new");
      assertThat(recovery.recover(SMALL_LOG, "new")).isTrue();
    }
    assertRecovered(disk, 8);
  }

  /** Else a cluster of an old name would serve beside the lost members that come back. */
  @Test
  void noSecondRecoveryTakesAFormerNameBack() {
    SimulatedDisk disk = survivor(1);
    for (String name : List.of("second", "third")) {
      try (Recovery recovery = Recovery.open(disk, N1, random(2))) {
        assertThat(inspect(recovery).clusterId()).isNotEqualTo(name);
        assertThat(recovery.recover(SMALL_LOG, name)).isTrue();
      }
    }
    for (String former : List.of("old", "second")) {
      try (Recovery recovery = Recovery.open(disk, N1, random(3))) {
        inspect(recovery);
        assertThatThrownBy(() -> recovery.recover(SMALL_LOG, former))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("must differ from " + former);
      }
    }
    try (Recovery recovery = Recovery.open(disk, N1, random(4))) {
      assertThat(inspect(recovery).clusterId()).isEqualTo("third");
      assertThat(recovery.recover(SMALL_LOG, "new")).isTrue();
    }
    assertRecovered(disk, 8);
  }

  /** Of what a start finishes, only half may be there. */
  @Test
  void aDirectoryInWhichASnapshotIsHalfInstalledIsRefused() {
    SimulatedDisk disk = survivor(1);
    new InstallMark(disk).set(SNAPSHOT);
    assertThatThrownBy(() -> Recovery.open(disk, N1, random(2)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("half installed. Start the node once");
  }

  private static void assertRecovered(SimulatedDisk disk, long termAtLeast) {
    assertThatThrownBy(() -> DataDirectory.open(disk, "old", N1, random(5)))
        .isInstanceOf(DataDirectoryException.class);
    try (DataDirectory directory = DataDirectory.open(disk, "new", N1, random(5))) {
      assertThat(directory.knownPeers().refusal(new NodeId("n2"), 99)).isNull();
      // Another survivor that is recovered to the same id has made another group.
      GroupMark group = directory.groupMark(THREE);
      assertThat(group.isConfirmed()).isTrue();
      assertThat(group.value()).isEqualTo(directory.incarnation());
      // They were the old cluster's.
      assertThat(directory.openSnapshots().published()).isEmpty();
      DataDirectory.Opened opened = openLog(directory, 1);
      EntryId last = opened.log().last();
      assertThat(last.index()).isGreaterThan(LAST.index());
      assertThat(last.term()).isGreaterThanOrEqualTo(termAtLeast);
      HardState vote = opened.voteFile().load();
      assertThat(vote).isEqualTo(new HardState(last.term(), N1));
      List<Entry> entries = opened.log().entries(1, last.index() + 1, Long.MAX_VALUE);
      assertThat(entries.get(1).payload()).containsExactly(1, 2, 3);
      Entry newest = entries.get(entries.size() - 1);
      assertThat(newest.type()).isEqualTo(EntryType.MEMBERSHIP);
      assertThat(Membership.decode(newest.payload())).isEqualTo(Membership.of(List.of(N1)));
      close(opened);
    }
  }

  /** One of three, which has voted in term 7 and holds entries up to {@link #LAST}. */
  private static SimulatedDisk survivor(int seed) {
    SimulatedDisk disk = SimulatedDisk.create(random(seed));
    try (DataDirectory directory = DataDirectory.open(disk, "old", N1, random(seed + 1))) {
      assertThat(directory.origin(THREE)).isEqualTo(THREE);
      DataDirectory.Opened opened = openLog(directory, 0);
      opened.voteFile().store(new HardState(7, new NodeId("n2")));
      opened
          .log()
          .append(
              List.of(
                  Entry.noOp(1, 1),
                  new Entry(2, 2, EntryType.COMMAND, new byte[] {1, 2, 3}),
                  new Entry(3, 2, EntryType.COMMAND, new byte[] {4})));
      opened.log().sync();
      close(opened);
      Draft draft = directory.openSnapshots().draft();
      draft.files().replace("some", new byte[] {1});
      draft.publish(new SnapshotMeta(new EntryId(2, 2), THREE), new byte[0]);
    }
    return disk;
  }

  private static Recovery.Report inspect(Recovery recovery) {
    return recovery.inspect(new Sound());
  }

  /** A survivor whose log begins behind its snapshot, which its state was once made of. */
  private static SimulatedDisk survivorWithDamagedState(int seed) {
    SimulatedDisk disk = survivor(seed);
    try (DataDirectory directory = DataDirectory.open(disk, "old", N1, random(seed + 1))) {
      DataDirectory.Opened opened = openLog(directory, 1);
      opened.log().reset(new EntryId(2, 2));
      opened.log().append(List.of(Entry.noOp(3, 2)));
      opened.log().sync();
      close(opened);
    }
    disk.directory("state").replace("some", new byte[] {9});
    return disk;
  }

  /**
   * A state is one file with one byte: 1, as in the snapshot; 9 is damage.
   *
   * @param says what a damaged one says that it has applied
   */
  private record Files(SimulatedDisk disk, EntryId says) implements Recovery.StateFiles {
    Files(SimulatedDisk disk) {
      this(disk, EntryId.ZERO);
    }

    @Override
    public Recovery.FoundState read() {
      Disk state = DirectoryReport.state(disk);
      if (state == null || !state.exists("some")) {
        return new Recovery.FoundState(EntryId.ZERO, Membership.EMPTY, "it is missing", false);
      }
      byte found = state.read("some")[0];
      return found == 1
          ? new Recovery.FoundState(new EntryId(2, 2), Membership.EMPTY, null, false)
          : new Recovery.FoundState(says, Membership.EMPTY, "it holds a " + found, false);
    }

    @Override
    public @Nullable String problem(Disk snapshot) {
      return snapshot.exists("some") ? null : "it is empty";
    }

    @Override
    public void replace(Disk snapshot) {
      Disk state = disk.directory("state");
      state.list().forEach(state::delete);
      state.syncDirectory();
      snapshot.copy("some", state);
      state.syncDirectory();
    }
  }

  /** A state that has applied the first entry. */
  private static final class Sound implements Recovery.StateFiles {
    @Override
    public Recovery.FoundState read() {
      return new Recovery.FoundState(new EntryId(1, 1), Membership.EMPTY, null, false);
    }

    @Override
    public @Nullable String problem(Disk snapshot) {
      throw new AssertionError("nobody needs a snapshot");
    }

    @Override
    public void replace(Disk snapshot) {
      throw new AssertionError("nothing is wrong with the state");
    }
  }

  private static DataDirectory.Opened openLog(DataDirectory directory, long applied) {
    EntryId id = applied == 0 ? EntryId.ZERO : new EntryId(applied, 1);
    return directory.openLog(SMALL_LOG, Runnable::run, random(9), id, null);
  }

  private static void close(DataDirectory.Opened opened) {
    opened.log().close();
    opened.voteFile().close();
  }

  private static SplittableRandom random(long seed) {
    return new SplittableRandom(seed);
  }
}
