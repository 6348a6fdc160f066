package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.CorruptLogException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Every page of every file of one member of three is flipped and zeroed, but those of the log
 * ({@link LogRepairTest}): it starts and becomes equal to the others, or it refuses and names the
 * file. The others go on in any case.
 */
final class DamagedFilesTest {
  private static final int PAGE_BYTES = 4096;

  private final TestNodes nodes = new TestNodes(11, 3);
  private final List<SimulatedDisk.Image> images = new ArrayList<>();

  /** Three members that have taken snapshots and cut their logs, and are stopped. */
  private void prepare() {
    nodes.ballastBytes = 9_000;
    nodes.startAll();
    nodes.write(100);
    nodes.untilEqual();
    nodes.pass(2);
    for (TestNode node : nodes.all.values()) {
      assertThat(node.compacted()).isPositive();
      node.crash();
      node.disk.restart();
      images.add(node.disk.image());
    }
  }

  /** Where damage is done: bytes of a file in a directory. */
  private record Page(List<String> directory, String file, int from, int to) {
    SimulatedDisk in(SimulatedDisk root) {
      SimulatedDisk found = root;
      for (String name : directory) {
        found = found.child(name);
      }
      return found;
    }
  }

  private static void collect(SimulatedDisk disk, List<String> path, List<Page> pages) {
    for (String file : disk.names()) {
      int size = disk.content(file).length;
      for (int at = 0; at < size; at += PAGE_BYTES) {
        pages.add(new Page(path, file, at, Math.min(size, at + PAGE_BYTES)));
      }
    }
    for (String child : disk.childNames()) {
      List<String> deeper = new ArrayList<>(path);
      deeper.add(child);
      // The machine of these tests has no checksums: see RocksDamageTest.
      if (!child.equals(DataDirectory.LOG) && !child.equals(DataDirectory.STATE)) {
        collect(disk.child(child), deeper, pages);
      }
    }
  }

  private List<Page> pages() {
    List<Page> pages = new ArrayList<>();
    collect(nodes.node(2).disk, List.of(), pages);
    assertThat(pages).extracting(Page::file).contains("vote", "peers", "MANIFEST", "ballast-1");
    return pages;
  }

  private void startAgain() {
    for (int i = 0; i < images.size(); i++) {
      TestNode node = nodes.node(i + 1);
      node.crash();
      node.disk.restart();
      node.disk.restore(images.get(i));
      node.failures.clear();
    }
    nodes.node(1).start();
    nodes.node(3).start();
  }

  /** FAULTS F034, F048, F067. */
  @Test
  void damageIsMendedOrNamed() {
    prepare();
    int refused = 0;
    int started = 0;
    for (Page page : pages()) {
      for (boolean flip : new boolean[] {true, false}) {
        startAgain();
        damage(nodes.node(2), page, flip);
        boolean starts = startsOrNames(page);
        started += starts ? 1 : 0;
        refused += starts ? 0 : 1;
        nodes.write(1);
        nodes.untilEqual();
      }
    }
    assertThat(refused).as("refusals").isEqualTo(6);
    assertThat(started).as("starts").isGreaterThan(8);
  }

  private static void damage(TestNode node, Page page, boolean flip) {
    SimulatedDisk disk = page.in(node.disk);
    if (flip) {
      disk.flipBit(page.file(), 8L * ((page.from() + page.to()) / 2) + 3);
    } else {
      disk.zero(page.file(), page.from(), page.to());
    }
  }

  private boolean startsOrNames(Page page) {
    TestNode node = nodes.node(2);
    try {
      // A transport asks for the peers, which there is none of here.
      SplittableRandom random = new SplittableRandom(1);
      try (DataDirectory directory = DataDirectory.open(node.disk, "c1", node.id, random)) {
        assertThat(directory.knownPeers().refusal(TestNodes.id(1), 1)).isNull();
      }
      return node.start();
    } catch (DataDirectoryException | CorruptLogException refusal) {
      assertThat(refusal).hasMessageContaining(page.file());
      return false;
    }
  }

  /** FAULTS F067: the state is gone as well, so the damaged snapshot would be needed. */
  @Test
  void aDamagedSnapshotIsNotMadeAState() {
    prepare();
    for (Page page : pages()) {
      if (!page.directory().isEmpty()) {
        startAgain();
        damage(nodes.node(2), page, true);
        nodes.node(2).disk.child(DataDirectory.STATE).lose("state");
        assertThat(nodes.node(2).start()).as(page.toString()).isTrue();
        nodes.write(1);
        nodes.untilEqual();
      }
    }
  }
}
