package io.kvorum.log;

import static io.kvorum.log.TestLog.assertSame;
import static io.kvorum.log.TestLog.entries;
import static io.kvorum.log.TestLog.readAll;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is whole of a log and what is damaged, found without a change, and kept by a cut. */
class LogInspectionTest {
  private static final int ENTRIES = 60;
  private static final List<Entry> ALL = entries(1, ENTRIES, 1, 600);
  private static final int PAGE = SegmentHeader.PAGE_BYTES;

  private static SortedMap<String, byte[]> image() {
    SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
    try (LogStore log = TestLog.open(disk)) {
      for (int at = 0; at < ENTRIES; at += 3) {
        log.append(ALL.subList(at, at + 3));
        log.sync();
      }
    }
    return contents(disk);
  }

  private static SortedMap<String, byte[]> contents(SimulatedDisk disk) {
    SortedMap<String, byte[]> files = new TreeMap<>();
    disk.list().forEach(name -> files.put(name, disk.content(name)));
    return files;
  }

  private static SimulatedDisk plant(Map<String, byte[]> files) {
    SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
    files.forEach(disk::plant);
    return disk;
  }

  private static boolean isRefused(SimulatedDisk disk) {
    try {
      TestLog.open(disk).close();
      return false;
    } catch (CorruptLogException refused) {
      return true;
    }
  }

  /** Looks at it, compares with what a start says, cuts, and opens. */
  private static int judge(SimulatedDisk disk, String what) {
    SortedMap<String, byte[]> before = contents(disk);
    try (LogInspection found = LogInspection.of(disk, 0)) {
      long last = found.last().index();
      assertThat(contents(disk).keySet()).as(what).isEqualTo(before.keySet());
      contents(disk).forEach((name, bytes) -> assertThat(bytes).isEqualTo(before.get(name)));
      assertThat(!found.damages().isEmpty()).as(what).isEqualTo(isRefused(plant(before)));
      if (last > found.compacted().index()) {
        assertSame(
            found.entries(found.compacted().index() + 1, last + 1, Long.MAX_VALUE),
            ALL.subList((int) found.compacted().index(), (int) last));
      }
      if (found.damages().isEmpty()) {
        return 0;
      }
      assertThat(found.damages().get(0).toString()).as(what).contains("/");
      found.cut();
      try (LogStore log = TestLog.open(disk)) {
        assertThat(log.last().index()).as(what).isEqualTo(last);
        assertSame(
            readAll(log), ALL.subList((int) log.compacted().index(), (int) log.last().index()));
      }
      return 1;
    }
  }

  @Test
  void aWholeLogIsShownAsItIs() {
    SimulatedDisk disk = plant(image());
    try (LogInspection found = LogInspection.of(disk, ENTRIES)) {
      assertThat(found.damages()).isEmpty();
      assertThat(found.compacted()).isEqualTo(EntryId.ZERO);
      assertThat(found.last()).isEqualTo(new EntryId(ENTRIES, 1)).isEqualTo(found.highest());
      assertSame(found.entries(1, ENTRIES + 1, Long.MAX_VALUE), ALL);
      assertThat(found.segments()).hasSizeGreaterThan(3);
      assertThat(found.underWay()).isNull();
    }
  }

  /** F034, F035, F049: whatever happens to a page or a file, both see it, and a cut heals it. */
  @Test
  void itSeesWhatAStartSees() {
    SortedMap<String, byte[]> image = image();
    int damaged = 0;
    List<String> segments = image.keySet().stream().filter(Segment::isSegment).toList();
    for (String name : segments) {
      for (int at = 0; at < image.get(name).length; at += PAGE) {
        SimulatedDisk zeroed = plant(image);
        zeroed.zero(name, at, at + PAGE);
        damaged += judge(zeroed, name + " zeroed at " + at);
        SimulatedDisk flipped = plant(image);
        flipped.flipBit(name, 8L * (at + 17));
        damaged += judge(flipped, name + " flipped at " + at);
      }
      SimulatedDisk lost = plant(image);
      lost.lose(name);
      damaged += judge(lost, name + " lost");
      SortedMap<String, byte[]> shorter = new TreeMap<>(image);
      shorter.put(name, Arrays.copyOf(image.get(name), 9_000));
      damaged += judge(plant(shorter), name + " cut short");
    }
    assertThat(damaged).isGreaterThan(5 * segments.size());
  }

  /** Behind the damage it still sees how far the log went, and all that is damaged besides. */
  @Test
  void itGoesOnBehindTheFirstDamage() {
    SortedMap<String, byte[]> image = image();
    List<String> segments = image.keySet().stream().filter(Segment::isSegment).toList();
    SimulatedDisk disk = plant(image);
    disk.flipBit(segments.get(1), 8L * (2 * PAGE + 100));
    disk.zero(segments.get(2), 0, PAGE);
    try (LogInspection found = LogInspection.of(disk, 0)) {
      assertThat(found.highest()).isEqualTo(new EntryId(ENTRIES, 1));
      assertThat(found.last().index()).isLessThan(ENTRIES / 2);
      List<String> files = new ArrayList<>();
      found.damages().forEach(damage -> files.add(damage.file()));
      assertThat(files).hasSize(2);
      assertThat(files.get(0)).endsWith(segments.get(1));
      assertThat(files.get(1)).endsWith(segments.get(2));
      assertThat(found.damages().get(0).offset()).isGreaterThanOrEqualTo(2L * PAGE - 700);
    }
  }

  /** A truncation that was cut short is no damage. */
  @Test
  void whatIsUnderWayIsNoDamage() {
    SimulatedDisk disk = plant(image());
    new Intent(Intent.Kind.SUFFIX, new EntryId(20, 1)).store(disk);
    try (LogInspection found = LogInspection.of(disk, 0)) {
      assertThat(found.damages()).isEmpty();
      assertThat(found.last()).isEqualTo(new EntryId(20, 1));
      assertThat(found.underWay()).contains("20@1");
    }
    new Intent(Intent.Kind.RESET, new EntryId(99, 3)).store(disk);
    try (LogInspection found = LogInspection.of(disk, 0)) {
      assertThat(found.damages()).isEmpty();
      assertThat(found.last()).isEqualTo(new EntryId(99, 3));
    }
  }
}
