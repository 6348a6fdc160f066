package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import io.kvorum.protocol.ProtocolLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How watches go on, and when they do not. */
class WatchesTest {
  private static final KeyRange KEY = KeyRange.single(FakeCluster.KEY);

  private final FakeCluster cluster = new FakeCluster();
  private final WatchServer first = new WatchServer(cluster.n1);
  private final WatchServer second = new WatchServer(cluster.n2);
  private final WatchServer third = new WatchServer(cluster.n3);
  private final Heard heard = new Heard();

  /** What a listener was told. */
  private static final class Heard implements WatchListener {
    final List<Long> revisions = new ArrayList<>();
    final List<Long> progress = new ArrayList<>();
    final List<WatchEnd> ends = new ArrayList<>();

    @Override
    public void events(WatchEvents events) {
      assertThat(ends).isEmpty();
      events.events().forEach(event -> revisions.add(event.revision()));
    }

    @Override
    public void progress(long revision) {
      progress.add(revision);
    }

    @Override
    public void ended(WatchEnd end) {
      ends.add(end);
    }
  }

  private Watch watch(long from) {
    Watch watch = cluster.client().watch(KEY, WatchOptions.DEFAULT.withFromRevision(from), heard);
    cluster.runMillis(50);
    return watch;
  }

  /** FAULTS F117: event@5, progress(5), reconnect; progress(7), reconnect; and again. */
  @Test
  void aWatchGoesOnBehindWhatItHas() {
    Watch watch = watch(5);
    assertThat(watch.started().join()).isEqualTo(5);
    first.puts(3, 5);
    first.progress = 5;
    cluster.runMillis(1_500);
    cluster.n1.kill();
    cluster.runMillis(100);
    assertThat(second.lastCreate().getStartRevision()).isEqualTo(6);
    second.progress = 7;
    cluster.runMillis(1_500);
    cluster.n2.cutConnections();
    cluster.runMillis(100);
    assertThat(third.lastCreate().getStartRevision()).isEqualTo(8);
    third.puts(3, 8, 9);
    cluster.runMillis(10);
    assertThat(heard.revisions).containsExactly(5L, 8L, 9L);
  }

  /** A member that is behind says less: that moves nothing back. */
  @Test
  void progressOfAMemberThatIsBehindIsNone() {
    Watch watch = watch(0);
    first.puts(3, 9);
    first.progress = 4;
    watch.requestProgress();
    cluster.runMillis(1_500);
    cluster.n1.kill();
    cluster.runMillis(100);
    assertThat(second.lastCreate().getStartRevision()).isEqualTo(10);
    assertThat(heard.progress).isEmpty();
  }

  /** Who asked hears of it as soon as it is known, be it from another member. */
  @Test
  void aWishToKnowTheProgressOutlivesMembersThatAreBehind() {
    Watch watch = watch(0);
    first.puts(3, 9);
    first.progress = 4;
    watch.requestProgress();
    cluster.runMillis(10);
    assertThat(heard.progress).isEmpty();
    cluster.n1.kill();
    second.progress = 12;
    cluster.runMillis(2_500);
    assertThat(heard.progress).containsExactly(12L);
  }

  @Test
  void progressIsToldNowAndThenToWhoeverWantsIt() {
    Heard other = new Heard();
    WatchOptions how = WatchOptions.DEFAULT.withProgress();
    Watch told = cluster.client().watch(KEY, how, heard);
    Watch untold = cluster.client().watch(KEY, other);
    first.progress = 9;
    cluster.runMillis(20_000);
    assertThat(heard.progress).hasSizeBetween(2, 5).containsOnly(9L);
    assertThat(other.progress).isEmpty();
    assertThat(List.of(told, untold)).noneMatch(watch -> watch.ended().isDone());
  }

  @Test
  void whatWasNotWholeComesAgain() {
    Watch watch = watch(3);
    first.piece(10, 3);
    cluster.runMillis(10);
    cluster.n1.kill();
    cluster.runMillis(100);
    assertThat(second.lastCreate().getStartRevision()).isEqualTo(3);
    second.piece(10, 3);
    second.puts(10, 3);
    cluster.runMillis(10);
    assertThat(heard.revisions).containsExactly(3L, 3L);
    watch.close();
    cluster.runMillis(10);
    assertThat(heard.ends).containsExactly(new WatchEnd.Closed());
  }

  /** Parts come as they arrive, each event once, whatever happens to the connection between. */
  @Test
  void whoAsksForFragmentsHearsOfARevisionInParts() {
    List<WatchEvents> told = new ArrayList<>();
    WatchOptions how = WatchOptions.DEFAULT.withFromRevision(3).withPrevious().withFragments();
    Watch watch = cluster.client().watch(KEY, how, told::add);
    cluster.runMillis(50);
    first.puts(10, 3);
    first.piece(1, 4, 4, 4);
    cluster.runMillis(10);
    assertThat(told).hasSize(2);
    assertThat(told.get(0).isFragment()).isFalse();
    assertThat(told.get(1).isFragment()).isTrue();
    assertThat(told.get(1).revision()).isEqualTo(4);
    assertThat(told.get(1).events()).as("what was before the last may follow").hasSize(2);
    cluster.n1.kill();
    cluster.runMillis(100);
    assertThat(second.lastCreate().getStartRevision()).isEqualTo(4);
    second.piece(1, 4);
    second.piece(1, 4, 4);
    cluster.runMillis(10);
    assertThat(told).as("all of it was told of before").hasSize(2);
    KeyValue before = new KeyValue(FakeCluster.KEY, Bytes.utf8("before"), 2, 3, 2, 0);
    second.previousAlone(before);
    second.piece(1, 4, 4);
    second.puts(1, 4);
    second.puts(1, 5);
    cluster.runMillis(10);
    assertThat(told)
        .extracting(WatchEvents::isFragment)
        .containsExactly(false, true, true, false, false);
    assertThat(told.get(2).events()).hasSize(2);
    assertThat(told.get(2).events().get(0).previous()).contains(before);
    assertThat(told.get(3).events()).hasSize(2);
    assertThat(told.get(4).events()).extracting(WatchEvent::revision).containsExactly(5L);
    assertThat(watch.ended()).isNotDone();
  }

  /** FAULTS F121: what is not put together has no limit. */
  @Test
  void aRevisionOfAnySizeComesInFragments() {
    int[] heardOf = new int[1];
    WatchOptions how = WatchOptions.DEFAULT.withFromRevision(3).withFragments();
    Watch watch = cluster.client().watch(KEY, how, told -> heardOf[0] += told.events().size());
    cluster.runMillis(50);
    int pieces = ProtocolLimits.WATCH_REVISION_BYTES_MAX / (4 << 20) + 1;
    for (int i = 0; i < pieces; i++) {
      first.piece(4 << 20, 3);
      cluster.runMillis(5);
    }
    assertThat(heardOf[0]).isEqualTo(pieces - 1);
    assertThat(first.credit).as("all that came may come again").isGreaterThan((pieces - 2L) << 22);
    first.puts(1, 3);
    cluster.runMillis(5);
    assertThat(heardOf[0]).isEqualTo(pieces + 1);
    assertThat(watch.ended()).isNotDone();
  }

  /** FAULTS F120: one end, with the compact revision; nobody tries on. */
  @Test
  void compactionEndsAWatchOnce() {
    first.refusal = new KvException.Compacted("compacted", 17);
    Watch watch = watch(3);
    assertThat(watch.ended().join()).isEqualTo(new WatchEnd.Compacted(3, 17));
    cluster.runMillis(10_000);
    assertThat(first.creates).hasSize(1);
    assertThat(heard.ends).hasSize(1);
    assertThat(cluster.network.connections()).isEmpty();
  }

  /** FAULTS F120: the state is read again, and watched from behind. */
  @Test
  void aSnapshotIsTakenAgainWhenCompactionOvertakes() {
    List<Long> snapshots = new ArrayList<>();
    Watch watch =
        cluster
            .client()
            .watchWithSnapshot(
                KEY,
                new io.kvorum.api.SnapshotListener() {
                  @Override
                  public void snapshot(long revision, List<io.kvorum.api.KeyValue> found) {
                    snapshots.add(revision);
                  }

                  @Override
                  public void events(WatchEvents events) {
                    heard.events(events);
                  }

                  @Override
                  public void ended(WatchEnd end) {
                    heard.ended(end);
                  }
                });
    cluster.runMillis(100);
    assertThat(snapshots).hasSize(1);
    assertThat(first.lastCreate().getStartRevision()).isEqualTo(snapshots.get(0) + 1);
    first.error(new KvException.Compacted("compacted", 90));
    cluster.runMillis(100);
    assertThat(snapshots).hasSize(2);
    assertThat(first.creates).hasSize(2);
    assertThat(heard.ends).isEmpty();
    watch.close();
    cluster.runMillis(10);
    assertThat(heard.ends).containsExactly(new WatchEnd.Closed());
    assertThat(watch.ended()).isCompleted();
  }

  /** FAULTS F121: a revision that cannot be put together ends the watch, and is not tried again. */
  @Test
  void aRevisionTooLargeToPutTogetherEndsTheWatch() {
    Watch watch = watch(3);
    int pieces = ProtocolLimits.WATCH_REVISION_BYTES_MAX / (4 << 20) + 1;
    for (int i = 0; i < pieces; i++) {
      first.piece(4 << 20, 3);
      cluster.runMillis(5);
    }
    WatchEnd.Rejected end = (WatchEnd.Rejected) watch.ended().join();
    assertThat(end.cause().reason()).isEqualTo(KvException.Reason.TOO_LARGE);
    assertThat(first.creates.size() + second.creates.size()).isEqualTo(1);
  }

  @Test
  void aServerThatKnowsNoWatchesRejectsThem() {
    cluster.n1.watches = null;
    cluster.n1.refusals.add(
        io.kvorum.protocol.ErrorsWire.toProto(
            new KvException.Rejected(KvException.Reason.UNSUPPORTED, "unknown request")));
    Watch watch = watch(3);
    WatchEnd.Rejected end = (WatchEnd.Rejected) watch.ended().join();
    assertThat(end.cause().reason()).isEqualTo(KvException.Reason.UNSUPPORTED);
  }

  /** FAULTS F108: all servers are down for a minute; tries are few, and the watch goes on. */
  @Test
  void triesAreBoundedWhileNobodyAnswers() {
    Watch watch = watch(3);
    cluster.nodes.forEach(FakeNode::kill);
    long before = cluster.attempts();
    cluster.runMillis(60_000);
    assertThat(cluster.attempts() - before).isBetween(30L, 400L);
    cluster.nodes.forEach(node -> node.reach = FakeNode.Reach.UP);
    cluster.runMillis(3_000);
    assertThat(first.creates.size() + second.creates.size() + third.creates.size()).isEqualTo(2);
    assertThat(watch.ended()).isNotDone();
  }

  /** FAULTS F108: the server's process is stopped; its connection stays. */
  @Test
  void aServerThatSaysNothingIsLeft() {
    Watch unused = watch(3);
    cluster.n1.stopped = true;
    cluster.runMillis(5_000);
    assertThat(second.lastCreate().getStartRevision()).isEqualTo(3);
  }

  @Test
  void aServerWithoutALeaderIsLeft() {
    Watch unused = watch(3);
    first.hasLeader = false;
    cluster.runMillis(5_000);
    assertThat(second.creates).hasSize(1);
  }

  @Test
  void closingTheClientEndsItsWatches() {
    Watch watch = watch(3);
    cluster.client().close();
    assertThat(watch.ended().join()).isEqualTo(new WatchEnd.ClientClosed());
    Watch late = cluster.client().watch(KEY, heard);
    assertThat(late.ended().join()).isEqualTo(new WatchEnd.ClientClosed());
    assertThat(heard.ends).hasSize(2);
  }

  @Test
  void aClosedWatchIsCancelledAndHearsNothingMore() {
    Watch watch = watch(3);
    Watch other = cluster.client().watch(KeyRange.single(Bytes.utf8("o")), new Heard());
    cluster.runMillis(10);
    first.puts(3, 3);
    watch.close();
    watch.close();
    cluster.runMillis(10);
    assertThat(heard.revisions).isEmpty();
    assertThat(heard.ends).containsExactly(new WatchEnd.Closed());
    assertThat(first.cancels).hasSize(1);
    other.close();
    cluster.runMillis(10);
    assertThat(cluster.network.connections()).isEmpty();
  }

  /** FAULTS F149: what waits for a listener is bounded, over any number of reconnections. */
  @Test
  void aListenerThatDoesNotGetOnIsNotSentMore() {
    Deque<Runnable> steps = new ArrayDeque<>();
    ClientConfig.Builder config =
        cluster.config().callbackExecutor(steps::add).silence(Duration.ofMillis(200));
    WatchListener listener = heard;
    Watch watch =
        cluster.client(config).watch(KEY, WatchOptions.DEFAULT.withFromRevision(3), listener);
    cluster.runMillis(50);
    int sent = first.puts(700_000, 3);
    cluster.runMillis(10);
    assertThat(first.credit).isZero();
    cluster.n1.kill();
    cluster.runMillis(3_000);
    assertThat(second.creates).as("with so much unheard").isEmpty();
    while (!steps.isEmpty()) {
      steps.poll().run();
    }
    cluster.runMillis(10);
    assertThat(sent).isGreaterThan(ProtocolLimits.WATCH_WINDOW_BYTES / 2);
    assertThat(second.lastCreate().getStartRevision()).isEqualTo(4);
    assertThat(second.lastCreate().getWindowBytes()).isEqualTo(ProtocolLimits.WATCH_WINDOW_BYTES);
    assertThat(watch.ended()).isNotDone();
  }
}
