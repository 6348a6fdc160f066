package io.kvorum.log;

import static io.kvorum.log.TestLog.CONFIG;
import static io.kvorum.log.TestLog.assertSame;
import static io.kvorum.log.TestLog.entries;
import static io.kvorum.log.TestLog.readAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.Entry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Damage of every kind to a log at rest: never silently fewer entries than were durable. */
class LogDamageTest {
  private static final String FIRST = Segment.fileName(1);

  /** The files of a log, to be planted and damaged again and again. */
  private static final class Image {
    final TreeMap<String, byte[]> files = new TreeMap<>();
    final List<Entry> entries;

    Image(SimulatedDisk disk, List<Entry> entries) {
      this.entries = entries;
      disk.list().forEach(name -> files.put(name, disk.content(name)));
    }

    SimulatedDisk plant() {
      SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
      files.forEach(disk::plant);
      return disk;
    }

    /** Where the records of a segment end. */
    int end(String name) {
      return SegmentWriter.lastNonZero(ByteBuffer.wrap(files.get(name))) + 1;
    }

    String lastSegment() {
      return files.keySet().stream().filter(Segment::isSegment).reduce((a, b) -> b).orElseThrow();
    }
  }

  /** Batches of three, each synced, then power loss: no mark speaks for the last batch. */
  private static Image crashed(int batches, int bytes) {
    SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
    LogStore log = TestLog.open(disk);
    for (int i = 0; i < batches; i++) {
      log.append(entries(1 + 3L * i, 3, 1, bytes));
      log.sync();
    }
    disk.crash();
    disk.restart();
    return new Image(disk, entries(1, 3 * batches, 1, bytes));
  }

  /** As {@link #crashed}, but ended in peace. */
  private static Image closed(int batches, int bytes) {
    SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
    try (LogStore log = TestLog.open(disk)) {
      for (int i = 0; i < batches; i++) {
        log.append(entries(1 + 3L * i, 3, 1, bytes));
        log.sync();
      }
    }
    return new Image(disk, entries(1, 3 * batches, 1, bytes));
  }

  /** F032: a last record cut anywhere does not prevent a start, and costs no record before it. */
  @Test
  void tailCutAtEveryByteIsTorn() {
    Image image = crashed(1, 90);
    byte[] whole = image.files.get(FIRST);
    for (int cut = 48; cut <= image.end(FIRST) + 9; cut++) {
      SimulatedDisk shorter = image.plant();
      shorter.plant(FIRST, Arrays.copyOf(whole, cut));
      assertOpensWithWholeRecords(shorter, image, cut);

      SimulatedDisk zeroed = image.plant();
      zeroed.zero(FIRST, Math.max(cut, SegmentHeader.PAGE_BYTES), whole.length);
      assertOpensWithWholeRecords(zeroed, image, cut);
    }
  }

  private static void assertOpensWithWholeRecords(SimulatedDisk disk, Image image, int cut) {
    int record = RecordCodec.encodedBytes(image.entries.get(0));
    int whole = Math.min(Math.max(0, cut - SegmentHeader.PAGE_BYTES) / record, 3);
    try (LogStore log = TestLog.open(disk)) {
      assertThat(log.last().index()).as("cut at %d", cut).isEqualTo(whole);
      log.append(entries(whole + 1, 2, 2, 70));
      log.sync();
    }
    disk.crash();
    disk.restart();
    assertThat(disk.content(FIRST)).hasSize(16 << 10);
    try (LogStore log = TestLog.open(disk)) {
      assertSame(readAll(log).subList(0, whole), image.entries.subList(0, whole));
      assertSame(readAll(log).subList(whole, whole + 2), entries(whole + 1, 2, 2, 70));
    }
  }

  /** F032, F034: what is known to have been durable may not be cut. */
  @Test
  void tailThatWasKnownDurableIsNotTorn() {
    Image image = crashed(2, 90);
    SimulatedDisk disk = image.plant();
    disk.zero(FIRST, image.end(FIRST) - 1, 16 << 10);
    assertThatThrownBy(() -> TestLog.open(disk, CONFIG, 6))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining(FIRST)
        .hasMessageContaining("offset ")
        .hasMessageContaining("entry 6")
        .hasMessageContaining("as a new member");
    TestLog.open(disk, CONFIG, 5).close();
  }

  /** F049: the index of the segment before tells that the last one was there. */
  @Test
  void lastSegmentThatIsMissingIsNoticed() {
    Image image = crashed(60, 230);
    String last = image.lastSegment();
    assertThat(last).isNotEqualTo(FIRST);
    SimulatedDisk disk = image.plant();
    disk.delete(last);
    disk.syncDirectory();
    assertThatThrownBy(() -> TestLog.open(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("a segment followed it that is missing");
  }

  /** F034, the property: any single bit, anywhere that a byte of the log was ever written. */
  @Test
  void anyFlippedBitIsFoundOrHarmless() {
    for (Image image : List.of(crashed(30, 230), closed(1, 30), crashed(2, 20))) {
      SplittableRandom random = new SplittableRandom(9);
      int refused = 0;
      for (String name : image.files.keySet()) {
        int every = image.entries.size() > 20 ? 151 : 1;
        for (long bit = random.nextInt(every); bit < image.end(name) * 8L; ) {
          refused += flip(image, name, bit);
          // The unused rest of the header's page is all alike.
          boolean dull = bit > 64 * 8 && bit < (SegmentHeader.PAGE_BYTES - 16) * 8;
          bit += dull ? 2_111 : every;
        }
      }
      assertThat(refused).isGreaterThan(500);
    }
  }

  private static int flip(Image image, String name, long bit) {
    SimulatedDisk disk = image.plant();
    disk.flipBit(name, bit);
    try (LogStore log = TestLog.open(disk)) {
      assertSame(readAll(log), image.entries);
      return 0;
    } catch (CorruptLogException e) {
      assertThat(e).hasMessageContaining(name);
      return 1;
    } catch (AssertionError e) {
      throw new AssertionError("bit " + bit + " of " + name, e);
    }
  }

  /** F033: lengths that lie. */
  @Test
  void wrongLengthIsNeverTrusted() {
    Image image = crashed(3, 200);
    for (int length : new int[] {0, -1, 31, Integer.MAX_VALUE, (16 << 10) - 4096 + 1}) {
      byte[] content = image.files.get(FIRST).clone();
      ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).putInt(4096, length);
      SimulatedDisk disk = image.plant();
      disk.plant(FIRST, content);
      assertThatThrownBy(() -> TestLog.open(disk))
          .isInstanceOf(CorruptLogException.class)
          .hasMessageContaining("offset 4096, entry 1");
    }
  }

  /** F035 (a) and (b): zeros behind the last record are its end, zeros in it a torn tail. */
  @Test
  void zerosAtTheEndAreNoDamage() {
    Image image = crashed(1, 3_000);
    SimulatedDisk whole = image.plant();
    whole.zero(FIRST, image.end(FIRST), 16 << 10);
    try (LogStore log = TestLog.open(whole)) {
      assertSame(readAll(log), image.entries);
    }
    SimulatedDisk torn = image.plant();
    torn.zero(FIRST, 12_288, 16 << 10);
    try (LogStore log = TestLog.open(torn)) {
      assertSame(readAll(log), image.entries.subList(0, 2));
    }
  }

  /** F035 (c). */
  @Test
  void zeroedPageInTheMiddleIsCorruption() {
    Image image = crashed(10, 300);
    SimulatedDisk disk = image.plant();
    disk.zero(FIRST, 8192, 12_288);
    assertThatThrownBy(() -> TestLog.open(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("was written when it was durable");
  }

  /** F035 (d), (e), F054: a segment gets its name after its header is durable. */
  @Test
  void segmentWithoutHeaderIsCorruption() {
    Image image = crashed(10, 600);
    for (String name : List.of(FIRST, image.lastSegment())) {
      for (int to : new int[] {4096, 16 << 10}) {
        SimulatedDisk disk = image.plant();
        disk.zero(name, 0, to);
        assertThatThrownBy(() -> TestLog.open(disk))
            .isInstanceOf(CorruptLogException.class)
            .hasMessageContaining(name + ": its segment header is damaged");
      }
      SimulatedDisk disk = image.plant();
      disk.plant(name, new byte[0]);
      assertThatThrownBy(() -> TestLog.open(disk)).isInstanceOf(CorruptLogException.class);
    }
  }

  /**
   * Several batches before one sync, of which an earlier page is lost and a later one kept: the
   * valid records behind the hole prove nothing.
   */
  @Test
  void unsyncedHoleIsTorn() {
    SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
    LogStore log = TestLog.open(disk);
    log.append(entries(1, 3, 1, 1_000));
    log.sync();
    log.append(entries(4, 3, 1, 1_000));
    log.append(entries(7, 3, 1, 1_000));
    disk.restart();
    disk.zero(FIRST, 8192, 8192 + 512);
    try (LogStore found = TestLog.open(disk, CONFIG, 3)) {
      assertSame(readAll(found), entries(1, 3, 1, 1_000));
      // The old records behind the new end must not come back.
      found.append(entries(4, 1, 2, 1_000));
      found.sync();
    }
    try (LogStore found = TestLog.open(disk)) {
      assertThat(found.last().index()).isEqualTo(4);
    }
  }

  /** The same hole, but what stands behind it was written when it was durable. */
  @Test
  void syncedHoleIsCorruption() {
    SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
    LogStore log = TestLog.open(disk);
    log.append(entries(1, 3, 1, 1_000));
    log.append(entries(4, 3, 1, 1_000));
    log.sync();
    log.append(entries(7, 3, 1, 1_000));
    disk.restart();
    disk.zero(FIRST, 8192, 8192 + 512);
    assertThatThrownBy(() -> TestLog.open(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("was written when it was durable");
  }

  /** F049. */
  @Test
  void segmentsOutOfOrderAreRefused() {
    Image image = crashed(40, 600);
    List<String> names = image.files.keySet().stream().filter(Segment::isSegment).toList();
    assertThat(names).hasSizeGreaterThan(5);

    SimulatedDisk missing = image.plant();
    missing.delete(names.get(2));
    assertRefused(missing, names.get(3), "a segment is missing");

    SimulatedDisk renamed = image.plant();
    renamed.rename(names.get(2), Segment.fileName(77_777));
    assertRefused(renamed, Segment.fileName(77_777), "by its header it begins with");

    SimulatedDisk duplicated = image.plant();
    duplicated.plant(Segment.fileName(77_777), image.files.get(names.get(2)));
    assertRefused(duplicated, Segment.fileName(77_777), "by its header it begins with");

    SimulatedDisk swapped = image.plant();
    swapped.plant(names.get(1), image.files.get(names.get(2)));
    swapped.plant(names.get(2), image.files.get(names.get(1)));
    assertRefused(swapped, names.get(1), "by its header it begins with");

    SimulatedDisk cut = image.plant();
    cut.plant(names.get(1), Arrays.copyOf(image.files.get(names.get(1)), 9_000));
    assertRefused(cut, names.get(1), "it has 9000 bytes of 16384");
  }

  private static void assertRefused(SimulatedDisk disk, String file, String why) {
    assertThatThrownBy(() -> TestLog.open(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining(file)
        .hasMessageContaining(why);
  }

  /** F051: an index is a hint, whatever is in it. */
  @Test
  void indexNeverChangesTheEntries() {
    Image image = crashed(40, 600);
    List<String> indexes = image.files.keySet().stream().filter(Segment::isIndex).toList();
    assertThat(indexes).hasSizeGreaterThan(4);
    for (boolean verify : new boolean[] {true, false}) {
      for (String name : indexes) {
        byte[] content = image.files.get(name);
        assertSameWithIndex(image, name, content, verify);
        assertSameWithIndex(image, name, null, verify);
        assertSameWithIndex(image, name, new byte[0], verify);
        assertSameWithIndex(image, name, Arrays.copyOf(content, content.length / 2), verify);
        assertSameWithIndex(image, name, Arrays.copyOf(content, content.length + 20), verify);
        assertSameWithIndex(image, name, image.files.get(indexes.get(0)), verify);
        for (int bit = 0; bit < content.length * 8; bit += 29) {
          byte[] flipped = content.clone();
          flipped[bit / 8] ^= (byte) (1 << (bit % 8));
          assertSameWithIndex(image, name, flipped, verify);
        }
      }
      SimulatedDisk disk = image.plant();
      disk.plant("00000000000000000099.idx", new byte[10]);
      TestLog.open(disk, CONFIG.withVerifySealed(verify), 0).close();
      assertThat(disk.exists("00000000000000000099.idx")).isFalse();
    }
  }

  private static void assertSameWithIndex(
      Image image, String name, byte[] content, boolean verify) {
    SimulatedDisk disk = image.plant();
    disk.delete(name);
    if (content != null) {
      disk.plant(name, content);
    }
    try (LogStore log = TestLog.open(disk, CONFIG.withVerifySealed(verify), 0)) {
      assertSame(readAll(log), image.entries);
    }
    assertThat(disk.content(name)).isEqualTo(image.files.get(name));
  }

  /** A trusted index puts the discovery off, it does not lose it. */
  @Test
  void damageUnderATrustedIndexIsFoundWhenRead() {
    Image image = crashed(40, 600);
    SimulatedDisk disk = image.plant();
    disk.flipBit(FIRST, 4_400 * 8);
    assertThatThrownBy(() -> TestLog.open(disk)).isInstanceOf(CorruptLogException.class);
    try (LogStore log = TestLog.open(disk, CONFIG.withVerifySealed(false), 0)) {
      assertThatThrownBy(() -> readAll(log))
          .isInstanceOf(CorruptLogException.class)
          .hasMessageContaining(FIRST);
    }
  }

  /** A damaged note about a truncation says nothing about what is to go. */
  @Test
  void damagedIntentIsRefused() {
    SimulatedDisk disk = crashed(3, 100).plant();
    disk.plant(Intent.FILE, new byte[36]);
    assertThatThrownBy(() -> TestLog.open(disk))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining(Intent.FILE);
  }
}
