package io.kvorum.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.DiskFullException;
import io.kvorum.disk.simulated.Call;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.snapshot.Receipt.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The chunks of a snapshot, as they may come (FAULTS F065). */
class ReceiptTest {
  private static final Manifest OFFERED = TestSnapshots.manifest(20);
  private static final int CHUNK_BYTES = 400;

  private final SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
  private SnapshotStore store = SnapshotStore.open(disk, TestSnapshots.CLUSTER);

  @Test
  void whatIsAskedForInOrderMakesTheSnapshot() {
    Receipt receipt = store.receive(OFFERED);
    List<Wanted> asked = new ArrayList<>();
    for (Wanted wanted = next(receipt); wanted != null; wanted = next(receipt)) {
      asked.add(wanted);
    }
    // The empty file is not asked for.
    assertThat(asked)
        .containsExactly(
            new Wanted(0, 0, 400),
            new Wanted(0, 400, 400),
            new Wanted(0, 800, 400),
            new Wanted(0, 1200, 300),
            new Wanted(1, 0, 3),
            new Wanted(3, 0, 400),
            new Wanted(3, 400, 400),
            new Wanted(3, 800, 300));
    long received = 0;
    for (Wanted wanted : asked) {
      assertThat(receipt.isComplete()).isFalse();
      assertThat(receipt.receivedBytes()).isEqualTo(received);
      assertThatThrownBy(receipt::publish).isInstanceOf(IllegalStateException.class);
      assertThat(give(receipt, wanted)).isTrue();
      received += wanted.length();
    }
    assertThat(receipt.isComplete()).isTrue();
    assertThat(receipt.receivedBytes()).isEqualTo(OFFERED.bytes());
    assertThat(store.published()).isEmpty();

    assertThat(receipt.publish()).isEqualTo(OFFERED);
    assertThat(store.published()).containsExactly(OFFERED);
    store.verify(OFFERED);
    assertThat(disk.directories()).containsExactly(OFFERED.name());
  }

  private static Wanted next(Receipt receipt) {
    return receipt.next(CHUNK_BYTES);
  }

  private static boolean give(Receipt receipt, Wanted wanted) {
    return receipt.accept(wanted.file(), wanted.offset(), TestSnapshots.chunk(OFFERED, wanted));
  }

  /** Doubled, reordered, lost; restarts and crashes in between; asked anew when nothing comes. */
  @Property(tries = 300)
  void anyOrderOfChunksEndsInTheSnapshotOrNothing(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SimulatedDisk disk = SimulatedDisk.create(random.split());
    SnapshotStore store = SnapshotStore.open(disk, TestSnapshots.CLUSTER);
    Receipt receipt = store.receive(OFFERED);
    List<Wanted> underWay = new ArrayList<>();
    while (!receipt.isComplete()) {
      Wanted wanted = underWay.size() < 4 ? receipt.next(1 + random.nextInt(700)) : null;
      if (wanted != null) {
        underWay.add(wanted);
      } else if (underWay.isEmpty()) {
        receipt.again();
      }
      if (!underWay.isEmpty() && random.nextInt(3) > 0) {
        Wanted answered =
            underWay.get(random.nextInt(3) == 0 ? random.nextInt(underWay.size()) : 0);
        give(receipt, answered);
        if (random.nextInt(4) > 0) {
          underWay.remove(answered);
        }
      }
      if (random.nextInt(20) == 0) {
        if (random.nextBoolean()) {
          disk.crash();
        }
        disk.restart();
        store = SnapshotStore.open(disk, TestSnapshots.CLUSTER);
        receipt = store.receive(OFFERED);
      }
    }
    receipt.publish();
    store.verify(OFFERED);
    // Late answers, to a receipt that has ended.
    Receipt ended = receipt;
    Wanted late = new Wanted(0, 0, 400);
    assertThatThrownBy(() -> give(ended, late)).isInstanceOf(IllegalStateException.class);
  }

  /** openraft installed an empty snapshot when the last chunk came twice. */
  @Test
  void lastChunkMayComeTwice() {
    Receipt receipt = complete(store.receive(OFFERED));
    assertThat(give(receipt, new Wanted(3, 800, 300))).isFalse();
    assertThat(receipt.isComplete()).isTrue();
    receipt.publish();
    store.verify(OFFERED);
  }

  @Test
  void whatDoesNotContinueWhatIsThereHasNoEffect() {
    Receipt receipt = store.receive(OFFERED);
    assertThat(give(receipt, new Wanted(0, 400, 400))).isFalse();
    assertThat(give(receipt, new Wanted(1, 0, 3))).isFalse();
    assertThat(receipt.accept(0, 0, new byte[0])).isFalse();
    assertThat(receipt.accept(0, 0, new byte[1501])).isFalse();
    assertThat(receipt.accept(99, 0, new byte[1])).isFalse();
    assertThat(receipt.receivedBytes()).isZero();
    assertThat(give(receipt, new Wanted(0, 0, 400))).isTrue();
    assertThat(give(receipt, new Wanted(0, 0, 400))).isFalse();
    assertThat(receipt.receivedBytes()).isEqualTo(400);
  }

  @Test
  void afterSilenceTheSameIsAskedForAgain() {
    Receipt receipt = store.receive(OFFERED);
    give(receipt, new Wanted(0, 0, 400));
    receipt.next(400);
    receipt.next(400);
    receipt.again();
    assertThat(receipt.next(1000)).isEqualTo(new Wanted(0, 400, 1000));
  }

  @Test
  void restartGoesOnWhereTheFilesEnd() {
    Receipt receipt = store.receive(OFFERED);
    give(receipt, new Wanted(0, 0, 400));
    give(receipt, new Wanted(0, 400, 400));
    disk.restart();
    store = SnapshotStore.open(disk, TestSnapshots.CLUSTER);
    Receipt resumed = store.receive(OFFERED);
    assertThat(resumed.receivedBytes()).isEqualTo(800);
    assertThat(next(resumed)).isEqualTo(new Wanted(0, 800, 400));
    complete(resumed).publish();
    store.verify(OFFERED);
  }

  @Test
  void newerOfferDropsWhatHasArrivedOfAnOlderOne() {
    Receipt older = store.receive(OFFERED);
    give(older, new Wanted(0, 0, 400));
    Manifest newer = TestSnapshots.manifest(21);
    Receipt receipt = store.receive(newer);
    assertThat(disk.directories()).containsExactly(newer.name() + ".part");
    assertThatThrownBy(() -> give(older, new Wanted(0, 400, 400)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(receipt.receivedBytes()).isZero();
    TestSnapshots.receive(store, newer, CHUNK_BYTES);
    store.verify(newer);
  }

  /** The same state, taken by another member: other files. */
  @Test
  void offerOfTheSameStateWithOtherFilesBeginsAnew() {
    give(store.receive(OFFERED), new Wanted(0, 0, 400));
    Manifest other =
        new Manifest(
            TestSnapshots.CLUSTER,
            OFFERED.meta(),
            TestSnapshots.ABOUT,
            List.of(new SnapshotFile("x", 2, Hash.ofContent(new byte[] {1, 2}))));
    Receipt receipt = store.receive(other);
    assertThat(next(receipt)).isEqualTo(new Wanted(0, 0, 2));
    receipt.accept(0, 0, new byte[] {1, 2});
    assertThat(receipt.publish()).isEqualTo(other);
    store.verify(other);
  }

  @Test
  void whatIsPublishedIsNotAskedFor() {
    Manifest taken = TestSnapshots.take(store, 20);
    Receipt receipt = store.receive(OFFERED);
    assertThat(receipt.isComplete()).isTrue();
    assertThat(next(receipt)).isNull();
    assertThat(receipt.receivedBytes()).isEqualTo(OFFERED.bytes());
    assertThat(receipt.publish()).isEqualTo(taken);
    assertThat(disk.directories()).containsExactly(taken.name());
  }

  @Test
  void contentThatIsHereIsLinkedAndNotAskedFor() {
    TestSnapshots.take(store, 19);
    long written = disk.count(Call.LINK);
    Receipt receipt = store.receive(OFFERED);
    assertThat(disk.count(Call.LINK)).isEqualTo(written + 2);
    assertThat(next(receipt)).isEqualTo(new Wanted(1, 0, 3));
    complete(receipt).publish();
    store.verify(OFFERED);
    // What is linked outlives where it came from.
    store.retain(1, manifest -> false);
    store.verify(OFFERED);
  }

  @Test
  void damagedContentIsNotLinked() {
    Manifest taken = TestSnapshots.take(store, 19);
    disk.child(taken.name()).child("files").flipBit("000007.sst", 77);
    Receipt receipt = store.receive(OFFERED);
    assertThat(next(receipt)).isEqualTo(new Wanted(0, 0, 400));
    complete(receipt).publish();
    store.verify(OFFERED);
  }

  /** Whoever sends has a damaged file: the receiver finds out, and can ask somebody else. */
  @Test
  void damagedContentIsFoundBeforeItIsPublished() {
    Receipt receipt = store.receive(OFFERED);
    byte[] bad = TestSnapshots.content(20).get("000007.sst");
    bad[700] ^= 4;
    assertThatThrownBy(() -> receipt.accept(0, 0, bad))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("000007.sst");
    assertThat(receipt.receivedBytes()).isZero();
    complete(receipt).publish();
    store.verify(OFFERED);
  }

  /** Of an earlier life of the receiver: nobody who sends is to blame. */
  @Test
  void tornContentIsAskedForAgain() {
    give(store.receive(OFFERED), new Wanted(0, 0, 400));
    SimulatedDisk files = disk.child(OFFERED.name() + ".part").child("files");
    files.flipBit("000007.sst.incoming", 5);
    disk.restart();
    store = SnapshotStore.open(disk, TestSnapshots.CLUSTER);
    Receipt receipt = store.receive(OFFERED);
    for (Wanted wanted = next(receipt); wanted.file() == 0; wanted = next(receipt)) {
      give(receipt, wanted);
      if (receipt.receivedBytes() == 0) {
        break;
      }
    }
    assertThat(receipt.receivedBytes()).isZero();
    complete(receipt).publish();
    store.verify(OFFERED);
  }

  /** F042: the page cache shows what a failed sync has lost; the next life must not believe it. */
  @Test
  void whatAFailedSyncHasLostIsWrittenAgain() {
    for (long seed = 0; seed < 30; seed++) {
      SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(seed));
      SnapshotStore store = SnapshotStore.open(disk, TestSnapshots.CLUSTER);
      Receipt receipt = store.receive(OFFERED);
      disk.failAt(2);
      assertThatThrownBy(() -> give(receipt, new Wanted(0, 0, 1500))).hasMessageContaining("SYNC");
      assertThatThrownBy(() -> give(receipt, new Wanted(1, 0, 3)))
          .isInstanceOf(IllegalStateException.class);
      complete(store.receive(OFFERED)).publish();
      disk.crash();
      disk.restart();
      SnapshotStore.open(disk, TestSnapshots.CLUSTER).verify(OFFERED);
    }
  }

  /** FAULTS F070. */
  @Test
  void fullDiskGivesItsSpaceBackAndReceivesLater() {
    TestSnapshots.take(store, 12);
    for (long space = 0; space < 6000; space += 250) {
      disk.spaceLeft(space);
      boolean full = false;
      try {
        Receipt receipt = complete(store.receive(OFFERED));
        receipt.discard();
      } catch (DiskFullException e) {
        full = true;
      }
      long needed = OFFERED.bytes() - 1500 + OFFERED.encode().length;
      assertThat(full).as("space %d", space).isEqualTo(space < needed);
      assertThat(disk.usableBytes()).isEqualTo(space);
      assertThat(disk.directories()).containsExactly(TestSnapshots.manifest(12).name());
    }
    complete(store.receive(OFFERED)).publish();
    store.verify(OFFERED);
  }

  /** FAULTS F070: its size is known, so nothing has to be sent to find out that it does not fit. */
  @Test
  void whatDoesNotFitIsRefusedBeforeTheFirstChunk() {
    disk.spaceLeft(OFFERED.bytes() + OFFERED.encode().length - 1);
    assertThatThrownBy(() -> store.receive(OFFERED))
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining(OFFERED.bytes() + " bytes of snapshot " + OFFERED.name());
    disk.spaceLeft(OFFERED.bytes() + OFFERED.encode().length);
    complete(store.receive(OFFERED)).publish();
  }

  @Test
  void discardedReceiptLeavesNothing() {
    Receipt receipt = store.receive(OFFERED);
    give(receipt, new Wanted(0, 0, 400));
    receipt.discard();
    receipt.discard();
    assertThat(disk.directories()).isEmpty();
    assertThatThrownBy(() -> give(receipt, new Wanted(0, 400, 400)))
        .isInstanceOf(IllegalStateException.class);
  }

  private static Receipt complete(Receipt receipt) {
    receipt.again();
    for (Wanted wanted = next(receipt); wanted != null; wanted = next(receipt)) {
      assertThat(give(receipt, wanted)).isTrue();
    }
    assertThat(receipt.isComplete()).isTrue();
    return receipt;
  }
}
