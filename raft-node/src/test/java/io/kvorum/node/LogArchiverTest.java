package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.ArchivedEntries;
import io.kvorum.log.LogArchive;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is cut off the log was archived before. */
final class LogArchiverTest {
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final SimulatedDisk archive = SimulatedDisk.create(new SplittableRandom(4));

  private TestNodes nodes(int count) {
    TestNodes nodes = new TestNodes(count, count);
    nodes.ballastBytes = 300;
    nodes.snapshotConfig = SnapshotConfig.NEVER.withLogBytes(20 << 10).withLogBounds(0, 0);
    nodes.archiving =
        id -> new SnapshotPorts.Archiving(LogArchive.open(archive, "c1", id.name()), INTERVAL);
    return nodes.startAll();
  }

  private List<Entry> archived() {
    ArchivedEntries entries = ArchivedEntries.open(archive, "c1");
    List<Entry> all = new ArrayList<>();
    EntryId last = EntryId.ZERO;
    while (true) {
      List<Entry> page = entries.after(last);
      if (page.isEmpty()) {
        return all;
      }
      all.addAll(page);
      last = page.get(page.size() - 1).id();
    }
  }

  @Test
  void everythingIsArchivedBeforeItIsCutAlsoAcrossCrashes() {
    TestNodes nodes = nodes(1);
    TestNode node = nodes.node(1);
    for (int round = 0; round < 6; round++) {
      nodes.write(60);
      nodes.pass(round);
      node.crash();
      assertThat(node.start()).isTrue();
      nodes.write(1);
      assertThat(node.compacted())
          .isLessThanOrEqualTo(LogArchive.open(archive, "c1", node.id.name()).lastIndex());
    }
    nodes.until("the log is cut", () -> node.compacted() > 200);
    nodes.pass(20);
    long applied = node.state().applied().index();
    assertThat(archived()).hasSize((int) applied);
    assertThat(archived().get((int) applied - 1).id()).isEqualTo(node.state().applied());
    assertThat(node.failures).isEmpty();
  }

  /** An archive that takes nothing keeps the log, and the node goes on. */
  @Test
  void whileTheArchiveFailsNothingIsCut() {
    TestNodes nodes = nodes(1);
    TestNode node = nodes.node(1);
    archive.failFrom(1);
    nodes.write(300);
    nodes.pass(60);
    assertThat(node.compacted()).isZero();
    assertThat(node.failures).isEmpty();
    SnapshotStatus.ArchiveFailure failure = failure(node);
    assertThat(failure).isNotNull();
    assertThat(failure.why()).contains("Input/output error");
    assertThat(failure.keptBytes()).isGreaterThan(200 << 10);
    nodes.pass(120);
    SnapshotStatus.ArchiveFailure later = failure(node);
    assertThat(later.sinceMillis()).isEqualTo(failure.sinceMillis());
    assertThat(later.sinceMillis()).isBetween(1L, nodes.time.nanos() / 1_000_000 - 120_000);
    archive.restart();
    nodes.until("it is tried again", () -> node.compacted() > 0);
    nodes.pass(60);
    assertThat(failure(node)).isNull();
  }

  private static SnapshotStatus.ArchiveFailure failure(TestNode node) {
    return Objects.requireNonNull(node.node().snapshotStatus()).archiveFailure();
  }

  /** What one member got by a snapshot only, another one has archived. */
  @Test
  void whatAMemberHasNeverHadAnotherOneHas() {
    TestNodes nodes = nodes(3);
    nodes.write(10);
    nodes.pass(10);
    TestNode leader = nodes.leader();
    TestNode behind =
        nodes.all.values().stream().filter(each -> each != leader).findFirst().orElseThrow();
    behind.crash();
    nodes.write(300);
    nodes.until("the log is cut", () -> leader.compacted() > 200);
    assertThat(behind.start()).isTrue();
    nodes.write(10);
    nodes.untilEqual();
    assertThat(behind.compacted()).isPositive();
    // The snapshot may have been of all there was: one more that it gets by the log.
    nodes.write(1);
    nodes.pass(20);
    assertThat(archived().size()).isGreaterThanOrEqualTo(320);
    assertThat(LogArchive.open(archive, "c1", behind.id.name()).lastIndex())
        .isEqualTo(archived().size());
  }
}
