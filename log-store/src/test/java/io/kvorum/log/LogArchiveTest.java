package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.Disk;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Few files where little is written, and each entry in one of them as soon as it is added. */
class LogArchiveTest {
  private static final long TERM = 3;
  private static final int SMALL = 100;

  private final SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
  private LogArchive archive = LogArchive.open(disk, "c1", "n1");

  private static EntryId id(long index) {
    return new EntryId(index, index == 0 ? 0 : TERM);
  }

  private void add(long index, int bytes) {
    Entry entry = new Entry(index, TERM, EntryType.COMMAND, new byte[bytes]);
    archive.append(id(index - 1), List.of(entry));
  }

  private Disk own() {
    return disk.directory("c1").directory("n1");
  }

  private static String name(long first, long last) {
    return new ArchiveFile.Range(first, last).fileName();
  }

  private static List<Long> all(ArchivedEntries entries, long last) {
    List<Long> all = new ArrayList<>();
    List<Entry> page = entries.after(id(last));
    while (!page.isEmpty()) {
      page.forEach(entry -> all.add(entry.index()));
      page = entries.after(id(all.get(all.size() - 1)));
    }
    return all;
  }

  @Test
  void smallFilesBecomeOneUntilItIsNotSmallAnyMore() {
    for (int index = 1; index <= 9; index++) {
      add(index, SMALL);
      assertThat(all(ArchivedEntries.open(disk, "c1"), 0)).hasSize(index);
    }
    assertThat(own().list()).containsExactly(name(1, 9));
    add(10, LogArchive.SMALL_BYTES);
    add(11, SMALL);
    archive = LogArchive.open(disk, "c1", "n1");
    add(12, SMALL);
    assertThat(own().list()).containsExactly(name(1, 10), name(11, 12));
    assertThat(all(ArchivedEntries.open(disk, "c1"), 0))
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
  }

  /** A snapshot has taken the place of what is between. */
  @Test
  void whatDoesNotFollowBeginsAFileOfItsOwn() {
    add(1, SMALL);
    add(5, SMALL);
    assertThat(own().list()).containsExactly(name(1, 1), name(5, 5));
    ArchivedEntries entries = ArchivedEntries.open(disk, "c1");
    assertThatThrownBy(() -> all(entries, 0)).hasMessageContaining("the entries 2 to 4");
  }

  /** With every file operation of an addition failing once, in turn. */
  @Test
  void whereverAnAdditionEndsNothingIsMissing() {
    for (int calls = 1; ; calls++) {
      SimulatedDisk failing = SimulatedDisk.create(new SplittableRandom(calls));
      archive = LogArchive.open(failing, "c1", "n1");
      add(1, SMALL);
      failing.failFrom(calls);
      boolean failed = false;
      try {
        add(2, SMALL);
      } catch (UncheckedIOException injected) {
        failed = true;
      }
      failing.crash();
      failing.restart();
      archive = LogArchive.open(failing, "c1", "n1");
      add(archive.lastIndex() + 1, SMALL);
      assertThat(all(ArchivedEntries.open(failing, "c1"), 0))
          .as("after %d calls", calls)
          .hasSize((int) archive.lastIndex())
          .startsWith(1L, 2L);
      if (!failed) {
        assertThat(calls).isGreaterThan(5);
        return;
      }
    }
  }

  @Test
  void whoReadsMeanwhileFindsWhatTookThePlaceOfAFile() {
    add(1, SMALL);
    ArchivedEntries entries = ArchivedEntries.open(disk, "c1");
    add(2, SMALL);
    assertThat(own().list()).containsExactly(name(1, 2));
    assertThat(all(entries, 0)).containsExactly(1L, 2L);
    add(3, SMALL);
    assertThat(all(entries, 1)).containsExactly(2L, 3L);
  }
}
