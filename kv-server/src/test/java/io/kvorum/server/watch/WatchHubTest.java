package io.kvorum.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchOptions;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.WatchProgressResponse;
import io.kvorum.server.store.HistoryLab;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A watch's life on the server, case by case. */
class WatchHubTest {
  private static final KeyRange K = KeyRange.single(Bytes.utf8("k"));

  private final WatchBench bench = new WatchBench(WatchLimits.DEFAULT);
  private final WatchBench.Connection client = bench.connect();

  private static WatchOptions from(long revision) {
    return WatchOptions.DEFAULT.withFromRevision(revision);
  }

  private WatchBench.Received watch(KeyRange range, WatchOptions options) {
    return client.watch(range, options, ProtocolLimits.WATCH_WINDOW_BYTES);
  }

  private static List<Long> revisions(WatchBench.Received watch) {
    return watch.events.stream().map(WatchEvent::revision).toList();
  }

  @Test
  void fromNowOnIsBehindTheNewestRevision() {
    bench.lab.put("k", "old").apply();
    WatchBench.Received watch = watch(K, WatchOptions.DEFAULT);
    bench.settle();
    assertThat(watch.start).isEqualTo(3);
    bench.lab.put("k", "new").apply();
    bench.settle();
    assertThat(revisions(watch)).containsExactly(3L);
  }

  @Test
  void theFutureIsWaitedFor() {
    WatchBench.Received watch = watch(K, from(4));
    bench.lab.put("k", "2").put("k", "3").apply();
    bench.settle();
    assertThat(watch.events).isEmpty();
    bench.lab.put("k", "4").apply();
    bench.settle();
    assertThat(revisions(watch)).containsExactly(4L);
  }

  /** FAULTS F113: the compact revision itself can be watched from, deletions included. */
  @Test
  void aDeletionAtTheCompactRevisionIsDelivered() {
    bench.lab.put("k", "v").delete("k").apply().compact(3);
    WatchBench.Received watch = watch(K, from(3).withPrevious());
    bench.settle();
    assertThat(revisions(watch)).containsExactly(3L);
    // FAULTS F143: what was before is compacted.
    assertThat(watch.events.get(0).previous()).isEmpty();
    WatchBench.Received tooOld = watch(K, from(2));
    bench.settle();
    assertThat(tooOld.error.orElseThrow().getReason()).isEqualTo(Error.Reason.REVISION_COMPACTED);
    assertThat(tooOld.error.orElseThrow().getCompactRevision()).isEqualTo(3);
    assertThat(bench.hub.stats().watches()).isEqualTo(1);
  }

  /** FAULTS F112: a slow watch is told that it was overtaken, and never moved over the gap. */
  @Test
  void compactionBelowASlowWatchEndsIt() {
    WatchBench bench =
        new WatchBench(new WatchLimits(0, 0, 10, 1 << 20, 200, 10), new HistoryLab(4));
    WatchBench.Received watch = bench.connect().watch(K, from(1), 200);
    IntStream.range(0, 100).forEach(i -> bench.lab.put("k", "v" + i).apply());
    bench.settle();
    long had = watch.through;
    assertThat(had).isBetween(2L, 50L);
    bench.lab.compact(60);
    watch.consume();
    bench.settle();
    assertThat(watch.error.orElseThrow().getCompactRevision()).isEqualTo(60);
    assertThat(watch.through).isEqualTo(had);
    assertThat(bench.hub.stats().watches()).isZero();
  }

  /** FAULTS F115: no event is known of what came in a snapshot, but by the history. */
  @Test
  void whatCameInASnapshotIsReadFromHistory() {
    WatchBench.Received synced = watch(K, WatchOptions.DEFAULT);
    WatchBench.Received future = watch(K, from(3));
    bench.settle();
    bench.lab.put("k", "2").put("k", "3").put("k", "4").install(0, () -> {});
    bench.settle();
    assertThat(revisions(synced)).containsExactly(2L, 3L, 4L);
    assertThat(revisions(future)).containsExactly(3L, 4L);
    bench.lab.put("k", "5").apply();
    bench.settle();
    assertThat(revisions(synced)).containsExactly(2L, 3L, 4L, 5L);
  }

  /** FAULTS F112, F115: the snapshot's history begins behind what a watch has seen. */
  @Test
  void aSnapshotWithoutTheNextEventsEndsAWatch() {
    WatchBench.Received watch = watch(K, WatchOptions.DEFAULT);
    WatchBench.Received future = watch(K, from(4));
    bench.settle();
    bench.lab.put("k", "2").apply();
    bench.settle();
    bench.lab.put("k", "3").put("k", "4").put("k", "5").install(4, () -> {});
    bench.settle();
    assertThat(revisions(watch)).containsExactly(2L);
    assertThat(watch.error.orElseThrow().getCompactRevision()).isEqualTo(4);
    assertThat(revisions(future)).containsExactly(4L, 5L);
  }

  /** FAULTS F099, F115: what was read in vain is read again; what was made of it is not lost. */
  @Test
  void watchesThatAreServedWhileTheStateIsReplacedStayWhereTheyAre() {
    String large = "v".repeat(2_000);
    bench.lab.put("k", large).put("k", large).apply();
    WatchBench.Received fromRing = watch(K, from(4));
    WatchBench.Received withPrevious = watch(K, from(4).withPrevious());
    WatchBench.Received old = watch(K, from(2));
    // Created, but not served yet.
    for (int i = 0; i < 3; i++) {
      assertThat(bench.watchLane.runOne()).isTrue();
    }
    bench.lab.put("k", large).apply();
    bench.lab.put("k", "5").install(0, () -> assertThat(bench.watchLane.runOne()).isTrue());
    bench.settle();
    assertThat(revisions(fromRing)).containsExactly(4L, 5L);
    assertThat(revisions(withPrevious)).containsExactly(4L, 5L);
    assertThat(withPrevious.events.get(0).previous().orElseThrow().modRevision()).isEqualTo(3);
    assertThat(revisions(old)).containsExactly(2L, 3L, 4L, 5L);
  }

  /** As above, with a message made already, of a revision too large for one. */
  @Test
  void aRevisionThatWasBegunInVainIsSentWhole() {
    int frame = WatchLimits.DEFAULT.frameBytes();
    WatchBench bench = new WatchBench(new WatchLimits(100, 64 << 20, 100, 64 << 20, frame, 10));
    String largest = "v".repeat(ProtocolLimits.ENTRY_BYTES_MAX - 100);
    WatchBench.Received watch =
        bench.connect().watch(K, from(3).withPrevious(), ProtocolLimits.WATCH_WINDOW_BYTES);
    bench.settle();
    bench.lab.put("k", largest).put("k", largest).put("k", "4").apply();
    // What was before 3 is sent alone; what was before 4 cannot be read.
    bench.lab.replacedAtRead(2);
    assertThat(bench.watchLane.runOne()).isTrue();
    bench.hub.feed().replaced(4);
    for (int i = 0; i < 5; i++) {
      bench.settle();
      watch.consume();
    }
    assertThat(revisions(watch)).containsExactly(3L, 4L);
    assertThat(watch.events).allMatch(event -> event.previous().isPresent());
  }

  /** FAULTS F123: entries without events move nothing and wake nobody. */
  @Test
  void entriesWithoutEventsCostNothing() {
    WatchBench.Received watch = watch(K, WatchOptions.DEFAULT);
    bench.settle();
    IntStream.range(0, 1_000).forEach(i -> bench.lab.noOp());
    bench.lab.apply();
    assertThat(bench.watchLane.runOne()).as("something to do").isFalse();
    bench.lab.put("k", "v").apply();
    bench.settle();
    assertThat(revisions(watch)).containsExactly(2L);
  }

  /** FAULTS F121: a revision larger than a frame comes in pieces, each below the limit. */
  @Test
  void aLargeRevisionComesInPieces() {
    String large = "v".repeat(900_000);
    WatchBench.Received watch = watch(KeyRange.all(), from(1).withPrevious());
    List<Op> ops =
        IntStream.range(0, 4)
            .<Op>mapToObj(i -> Op.put(Bytes.utf8("k" + i), Bytes.utf8(large)))
            .toList();
    bench.lab.txn(ops).txn(ops).put("k", "small").apply();
    for (int i = 0; i < 20; i++) {
      bench.settle();
      watch.consume();
    }
    assertThat(watch.events).hasSize(9);
    assertThat(watch.events.get(7).previous().orElseThrow().value().size()).isEqualTo(900_000);
    assertThat(watch.messages).isGreaterThan(4);
    assertThat(client.largestFrameBytes).isLessThan(ProtocolLimits.FRAME_BYTES_MAX);
    assertThat(watch.pieces).isEmpty();
  }

  /** FAULTS F121: key, value and what was before are each at the limit. */
  @Test
  void thePreviousValueComesAloneWhereBothAreTooLarge() {
    String largest = "v".repeat(ProtocolLimits.ENTRY_BYTES_MAX - 100);
    WatchBench.Received watch = watch(K, from(3).withPrevious());
    bench.lab.put("k", largest).put("k", largest).put("k", "").apply();
    for (int i = 0; i < 5; i++) {
      bench.settle();
      watch.consume();
    }
    assertThat(revisions(watch)).containsExactly(3L, 4L);
    assertThat(watch.events)
        .allMatch(event -> event.previous().orElseThrow().value().size() == largest.length());
    assertThat(client.largestFrameBytes).isLessThan(ProtocolLimits.FRAME_BYTES_MAX);
  }

  @Test
  void progressDoesNotRunAheadOfWhatIsUndelivered() {
    WatchBench.Received slow = client.watch(K, from(1), 1);
    WatchBench.Received other = watch(KeyRange.single(Bytes.utf8("x")), WatchOptions.DEFAULT);
    for (int i = 0; i < 50; i++) {
      bench.lab.put("k", "v" + i).apply();
      bench.settle();
    }
    client.askProgress();
    bench.settle();
    WatchProgressResponse told = client.progress.get(0);
    assertThat(told.getRevision()).isEqualTo(51);
    assertThat(told.getBehindList()).containsExactly(slow.id);
    assertThat(told.getHasLeader()).isTrue();
    assertThat(other.through).isEqualTo(51);
  }

  /** FAULTS F149: a connection that takes nothing costs a batch; what is missed is read later. */
  @Test
  void aConnectionThatTakesNothingIsSentNothing() {
    WatchBench.Received watch = watch(K, from(1));
    bench.settle();
    client.writable(false);
    IntStream.range(0, 500).forEach(i -> bench.lab.put("k", "v" + i).apply());
    bench.settle();
    assertThat(watch.messages).isEqualTo(1);
    client.writable(true);
    bench.settle();
    assertThat(watch.events).hasSize(500);
  }

  /** FAULTS F122: whatever comes and goes, in the end nothing is left. */
  @Test
  void everythingIsReleased() {
    for (int i = 0; i < 500; i++) {
      WatchBench.Connection one = bench.connect();
      WatchBench.Received first = one.watch(KeyRange.all(), from(1), 100);
      WatchBench.Received second = one.watch(K, from(1 + i % 3), 100);
      bench.lab.put("k", "v" + i).apply();
      if (i % 2 == 0) {
        bench.settle();
      }
      first.cancel();
      first.cancel();
      if (i % 3 == 0) {
        second.cancel();
      }
      one.stream.close();
      one.stream.close();
    }
    bench.settle();
    assertThat(bench.hub.stats()).isEqualTo(new WatchStats(0, 0, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void aNegativeStartIsRefused(long start) {
    WatchBench.Received watch = client.create(K, start);
    bench.settle();
    assertThat(watch.error.orElseThrow().getReason()).isEqualTo(Error.Reason.INVALID_ARGUMENT);
    assertThat(bench.hub.stats().watches()).isZero();
  }

  @Test
  void theLargestStartIsWaitedFor() {
    WatchBench.Received watch = watch(K, from(Long.MAX_VALUE));
    bench.lab.put("k", "v").apply();
    bench.settle();
    assertThat(watch.start).isEqualTo(Long.MAX_VALUE);
    assertThat(watch.events).isEmpty();
  }

  @Test
  void aNodeThatStopsSendsItsWatchesElsewhere() {
    WatchBench.Received watch = watch(K, WatchOptions.DEFAULT);
    bench.settle();
    bench.hub.stop();
    bench.settle();
    assertThat(watch.error.orElseThrow().getKind()).isEqualTo(Error.Kind.UNAVAILABLE);
    WatchBench.Received late = watch(K, WatchOptions.DEFAULT);
    bench.settle();
    assertThat(late.error.orElseThrow().getKind()).isEqualTo(Error.Kind.UNAVAILABLE);
  }

  @Test
  void aConnectionHasSoManyWatchesAndNoMore() {
    WatchBench bench = new WatchBench(new WatchLimits(10, 1_000, 10, 1_000, 1_000, 2));
    WatchBench.Connection one = bench.connect();
    one.watch(K, WatchOptions.DEFAULT, 100);
    one.watch(K, WatchOptions.DEFAULT, 100);
    WatchBench.Received third = one.watch(K, WatchOptions.DEFAULT, 100);
    bench.settle();
    assertThat(third.error.orElseThrow().getReason()).isEqualTo(Error.Reason.OVERLOADED);
  }

  /** Read by each of them for itself, it would be read 40,000 times. */
  @Test
  void manyWatchesThatAreBehindReadTheHistoryOnceTogether() {
    int keys = 200;
    int rounds = 10;
    WatchLimits limits = new WatchLimits(0, 0, 10, 1 << 20, 4_096, keys);
    WatchBench bench = new WatchBench(limits);
    WatchBench.Connection connection = bench.connect();
    List<WatchBench.Received> watches = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      KeyRange own = KeyRange.single(Bytes.utf8("k" + i));
      watches.add(connection.watch(own, WatchOptions.DEFAULT, 1 << 20));
    }
    bench.settle();
    // All of them are found as soon as they have something, and kept waiting while more happens.
    connection.writable(false);
    for (int i = 0; i < keys * rounds; i++) {
      bench.lab.put("k" + i % keys, "v");
      bench.lab.apply();
      bench.watchLane.runOne();
    }
    bench.settle();
    int before = bench.lab.reads();
    connection.writable(true);
    bench.settle();
    assertThat(watches).allSatisfy(watch -> assertThat(watch.events).hasSize(rounds));
    int parts = keys * rounds / limits.partEvents();
    assertThat(bench.lab.reads() - before).isLessThan(2 * parts);
  }
}
