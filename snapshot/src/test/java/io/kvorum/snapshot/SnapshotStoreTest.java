package io.kvorum.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.Disk;
import io.kvorum.disk.simulated.SimulatedDisk;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SnapshotStoreTest {
  private final SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
  private final SnapshotStore store = open();

  private SnapshotStore open() {
    return SnapshotStore.open(disk, TestSnapshots.CLUSTER);
  }

  @Test
  void publishedSnapshotIsFoundAgain() {
    Manifest taken = TestSnapshots.take(store, 10);
    assertThat(taken).isEqualTo(TestSnapshots.manifest(10));
    assertThat(store.newest()).isEqualTo(taken);

    SnapshotStore again = open();
    assertThat(again.published()).containsExactly(taken);
    assertThat(again.find(taken.name())).isEqualTo(taken);
    assertThat(again.files(taken).list())
        .containsExactlyElementsOf(TestSnapshots.content(10).keySet());
    again.verify(taken);
    assertThat(again.damaged()).isEmpty();
    assertThat(disk.directories()).containsExactly(taken.name());
  }

  @Test
  void newestComesLastInAnyOrderOfTaking() {
    TestSnapshots.take(store, 1000);
    TestSnapshots.take(store, 999);
    assertThat(store.published())
        .containsExactly(TestSnapshots.manifest(999), TestSnapshots.manifest(1000));
    assertThat(open().newest()).isEqualTo(TestSnapshots.manifest(1000));
  }

  @Test
  void snapshotOfTheSameStateIsTakenOnce() {
    Manifest first = TestSnapshots.take(store, 10);
    Draft draft = store.draft();
    TestSnapshots.write(draft.files(), TestSnapshots.content(11));
    assertThat(draft.publish(TestSnapshots.meta(10, 3), TestSnapshots.ABOUT)).isEqualTo(first);
    store.verify(first);
    assertThat(disk.directories()).containsExactly(first.name());
  }

  @Test
  void discardedDraftLeavesNothing() {
    Draft draft = store.draft();
    TestSnapshots.write(draft.files(), TestSnapshots.content(11));
    assertThatThrownBy(store::draft).isInstanceOf(IllegalStateException.class);
    draft.discard();
    assertThat(disk.directories()).isEmpty();
    assertThatThrownBy(() -> draft.publish(TestSnapshots.meta(10, 3), TestSnapshots.ABOUT))
        .isInstanceOf(IllegalStateException.class);
    TestSnapshots.take(store, 10);
  }

  @Test
  void anyPartOfAFileIsRead() {
    Manifest taken = TestSnapshots.take(store, 10);
    byte[] content = TestSnapshots.content(10).get("000007.sst");
    assertThat(store.read(taken.name(), 0, 700, 800)).isEqualTo(slice(content, 700, 1500));
    assertThat(store.read(taken.name(), 0, 0, 1500)).isEqualTo(content);
    assertThat(store.read(taken.name(), 2, 0, 0)).isEmpty();
    for (long[] outside :
        new long[][] {
          {0, 701, 800}, {0, -1, 1}, {0, 0, -1}, {4, 0, 1}, {-1, 0, 1}, {0, 1L << 62, 1}
        }) {
      assertThatThrownBy(
              () -> store.read(taken.name(), (int) outside[0], outside[1], (int) outside[2]))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> store.read("00000000000000000011-3", 0, 0, 1))
        .isInstanceOf(SnapshotGoneException.class)
        .hasMessageContaining("00000000000000000011-3");
  }

  private static byte[] slice(byte[] bytes, int from, int to) {
    return Arrays.copyOfRange(bytes, from, to);
  }

  // ---- FAULTS F067: what is none, and what is one no more ----

  @Test
  void emptyDirectoryIsNoSnapshot() {
    disk.directory("00000000000000000010-3");
    assertThat(open().published()).isEmpty();
    assertThat(disk.directories()).isEmpty();
  }

  @Test
  void directoryWithoutManifestIsNoSnapshot() {
    Manifest taken = TestSnapshots.take(store, 10);
    disk.child(taken.name()).lose("MANIFEST");
    SnapshotStore again = open();
    assertThat(again.published()).isEmpty();
    assertThat(again.damaged()).isEmpty();
    assertThat(disk.directories()).isEmpty();
  }

  @Test
  void temporaryNamesAreNoSnapshots() {
    Manifest taken = TestSnapshots.take(store, 10);
    disk.renameDirectory(taken.name(), "draft");
    assertThat(open().published()).isEmpty();
    assertThat(disk.directories()).isEmpty();

    TestSnapshots.take(open(), 10);
    disk.renameDirectory(taken.name(), taken.name() + ".part");
    SnapshotStore again = open();
    assertThat(again.published()).isEmpty();
    // All of it is there, so to receive it is to look at it once more.
    assertThat(again.receive(taken).isComplete()).isTrue();
  }

  @Test
  void whatIsNotOursIsLeftAlone() {
    disk.directory("notes").replace("a", new byte[] {1});
    disk.replace("README", new byte[] {2});
    disk.directory("draft");
    open();
    assertThat(disk.directories()).containsExactly("notes");
    assertThat(disk.list()).containsExactly("README");
  }

  @Test
  void snapshotThatMissesAFileDoesNotCount() {
    assertDamage(files -> files.lose("CURRENT"), "files/CURRENT", "missing");
  }

  @Test
  void snapshotWithAShortFileDoesNotCount() {
    assertDamage(files -> files.plant("CURRENT", new byte[1]), "files/CURRENT", "1 bytes instead");
  }

  /** Installing it would install that file, too. */
  @Test
  void snapshotWithAFileTooManyDoesNotCount() {
    assertDamage(files -> files.plant("LOG", new byte[1]), "files/LOG", "no such file");
  }

  private void assertDamage(Consumer<SimulatedDisk> damage, String file, String what) {
    Manifest older = TestSnapshots.take(store, 10);
    Manifest newest = TestSnapshots.take(store, 11);
    damage.accept(disk.child(newest.name()).child("files"));

    assertThatThrownBy(() -> store.verify(newest))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(file)
        .hasMessageContaining(what);
    SnapshotStore again = open();
    assertThat(again.published()).containsExactly(older);
    assertThat(again.damaged()).singleElement().asString().contains(newest.name(), file, what);
    again.verify(older);

    // It stays, for a person to look at, while what is good does not suffice.
    again.retain(2, manifest -> false);
    assertThat(disk.directories()).containsExactly(older.name(), newest.name());
    again.retain(1, manifest -> false);
    assertThat(disk.directories()).containsExactly(older.name());
    assertThat(again.damaged()).isEmpty();
  }

  @Test
  void damagedManifestDoesNotCount() {
    Manifest older = TestSnapshots.take(store, 10);
    Manifest newest = TestSnapshots.take(store, 11);
    disk.child(newest.name()).flipBit("MANIFEST", 200);
    assertThatThrownBy(() -> store.verify(newest)).isInstanceOf(CorruptSnapshotException.class);
    SnapshotStore again = open();
    assertThat(again.published()).containsExactly(older);
    assertThat(again.damaged()).singleElement().asString().contains(newest.name(), "damaged");
  }

  @Test
  void manifestOfAnotherSnapshotDoesNotCount() {
    Manifest taken = TestSnapshots.take(store, 10);
    disk.renameDirectory(taken.name(), "00000000000000000012-3");
    SnapshotStore again = open();
    assertThat(again.published()).isEmpty();
    assertThat(again.damaged()).singleElement().asString().contains(taken.name());
  }

  /** Too slow for every start: found by whoever is going to rely on it. */
  @Test
  void flippedBitIsFoundByVerification() {
    Manifest taken = TestSnapshots.take(store, 10);
    disk.child(taken.name()).child("files").flipBit("000007.sst", 9999);
    SnapshotStore again = open();
    assertThatThrownBy(() -> again.verify(taken))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("000007.sst")
        .hasMessageContaining(taken.files().get(0).hash().toString());
    again.remove(taken);
    assertThat(again.newest()).isNull();
    assertThat(disk.directories()).isEmpty();
    again.remove(taken);
  }

  @Test
  void damagedSnapshotIsReplacedByANewOneOfTheSameState() {
    Manifest taken = TestSnapshots.take(store, 10);
    disk.child(taken.name()).child("files").lose("CURRENT");
    SnapshotStore again = open();
    again.verify(TestSnapshots.take(again, 10));
    assertThat(again.damaged()).isEmpty();
    assertThat(open().published()).containsExactly(taken);
  }

  // ---- what is refused ----

  @Test
  void snapshotOfAnotherClusterIsRefused() {
    Manifest taken = TestSnapshots.take(store, 10);
    disk.directory("draft");
    assertThatThrownBy(() -> SnapshotStore.open(disk, "other"))
        .isInstanceOf(SnapshotRefusedException.class)
        .hasMessageContaining("kvorum")
        .hasMessageContaining("other");
    assertThat(disk.directories()).containsExactly(taken.name(), "draft");

    SimulatedDisk elsewhere = SimulatedDisk.create(new SplittableRandom(1));
    SnapshotStore others = SnapshotStore.open(elsewhere, "other");
    assertThatThrownBy(() -> others.receive(taken)).isInstanceOf(SnapshotRefusedException.class);
    assertThat(elsewhere.directories()).isEmpty();
  }

  @Test
  void snapshotOfANewerVersionIsRefusedAndKept() {
    Manifest taken = TestSnapshots.take(store, 10);
    byte[] newer = taken.encode();
    newer[8] = 9;
    disk.child(taken.name()).plant("MANIFEST", ManifestTest.seal(newer));
    assertThatThrownBy(this::open)
        .isInstanceOf(SnapshotRefusedException.class)
        .hasMessageContaining("format 9");
    assertThat(disk.directories()).containsExactly(taken.name());
  }

  // ---- retention ----

  @Test
  void oldestAreDeletedUnlessInUse() {
    for (long index = 1; index <= 5; index++) {
      TestSnapshots.take(store, index);
    }
    Manifest used = TestSnapshots.manifest(2);
    store.retain(2, used::equals);
    List<Manifest> left = List.of(used, TestSnapshots.manifest(4), TestSnapshots.manifest(5));
    assertThat(store.published()).isEqualTo(left);
    assertThat(open().published()).isEqualTo(left);
    for (Manifest manifest : left) {
      store.verify(manifest);
    }
    Manifest gone = TestSnapshots.manifest(1);
    assertThatThrownBy(() -> store.files(gone)).isInstanceOf(SnapshotGoneException.class);
    assertThatThrownBy(() -> store.verify(gone)).isInstanceOf(SnapshotGoneException.class);
    assertThatThrownBy(() -> store.retain(0, manifest -> false))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatHasArrivedGoesWhenSomethingNewerIsThere() {
    SnapshotStore other = SnapshotStore.open(disk.directory("other"), TestSnapshots.CLUSTER);
    Receipt receipt = other.receive(TestSnapshots.manifest(10));
    receipt.accept(0, 0, new byte[100]);
    Disk directory = disk.directory("other");
    TestSnapshots.take(other, 9);
    other.retain(1, manifest -> false);
    assertThat(directory.directories()).contains(receipt.manifest().name() + ".part");
    SnapshotStore again = SnapshotStore.open(directory, TestSnapshots.CLUSTER);
    assertThat(directory.directories()).contains(receipt.manifest().name() + ".part");
    TestSnapshots.take(again, 11);
    again.retain(1, manifest -> false);
    assertThat(directory.directories()).containsExactly(TestSnapshots.manifest(11).name());
  }
}
