package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watches over real sockets, a real disk and threads. */
class KvNodeWatchTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path directory;

  private static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  private KvNode alone() {
    return KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build());
  }

  @Test
  void anEmbeddedNodeDeliversThePastThenThePresent() {
    try (KvNode node = alone()) {
      node.blocking().put(bytes("k"), bytes("1"));
      node.blocking().put(bytes("other"), bytes("x"));
      node.blocking().delete(bytes("k"));
      Recorder heard = new Recorder();
      WatchOptions options = WatchOptions.DEFAULT.withFromRevision(1).withPrevious();
      try (Watch watch = node.watch(KeyRange.single(bytes("k")), options, heard)) {
        assertThat(watch.started().join()).isEqualTo(1);
        node.blocking().txn(Txn.of(Op.put(bytes("k"), bytes("2")), Op.put(bytes("z"), bytes("y"))));
        Await.until("all of k", LIMIT, () -> heard.events().size() == 3);
      }
      assertThat(heard.values()).containsExactly("1", "-", "2");
      assertThat(heard.events()).extracting(WatchEvent::revision).containsExactly(2L, 4L, 5L);
      assertThat(heard.events().get(0).previous()).isEmpty();
      assertThat(heard.events().get(1).previous().orElseThrow().value()).isEqualTo(bytes("1"));
      assertThat(heard.events().get(2).isCreate()).isTrue();
      Await.until("the end", LIMIT, () -> !heard.ends().isEmpty());
      assertThat(heard.ends()).containsExactly(new WatchEnd.Closed());
      Await.until("nothing is left", LIMIT, () -> node.watchStats().watches() == 0);
      assertThat(node.watchStats().recentEvents()).isZero();
    }
  }

  /** FAULTS F117: over a leader's end each event comes once, in order. */
  @Test
  void aWatchOutlivesTheMembersThatServeIt() {
    List<Member> members = TestCluster.freeMembers(3);
    Recorder heard = new Recorder();
    try (Group group = new Group(directory)) {
      members.forEach(member -> group.start(group.config(member, members).build()));
      group.awaitLeader();
      Watch watch;
      try (RemoteKvClient client = client(members)) {
        watch = client.watch(KeyRange.prefix(bytes("k")), heard);
        watch.started().orTimeout(60, java.util.concurrent.TimeUnit.SECONDS).join();
        put(client, 0, 20);
        for (Member member : members) {
          group.stop(member.id().name());
          put(client, heard.events().size(), 20);
          group.start(group.config(member, members).build());
          group.awaitLeader();
          int due = 20 + 20 * (members.indexOf(member) + 1);
          Await.until("all " + due, LIMIT, () -> heard.events().size() >= due);
        }
      }
      assertThat(watch.ended().join()).isEqualTo(new WatchEnd.ClientClosed());
    }
    assertThat(heard.events()).extracting(WatchEvent::revision).doesNotHaveDuplicates().isSorted();
    assertThat(heard.events()).hasSize(80);
    assertThat(heard.ends()).hasSize(1);
  }

  private static void put(RemoteKvClient client, int from, int count) {
    for (int i = from; i < from + count; i++) {
      client.blocking().put(bytes("k" + i), bytes("v" + i));
    }
  }

  private static RemoteKvClient client(List<Member> members) {
    return RemoteKvClient.connect(
        ClientConfig.builder()
            .endpoints(
                members.stream()
                    .map(member -> new Endpoint(member.host(), member.clientPort()))
                    .toList())
            .requestTimeout(Duration.ofSeconds(30))
            .build());
  }

  /** FAULTS F149: what a listener does not take waits in history, and delays nobody. */
  @Test
  void aListenerThatBlocksHoldsUpItselfOnly() {
    try (KvNode node = alone()) {
      CountDownLatch gate = new CountDownLatch(1);
      List<WatchEvent> slow = new ArrayList<>();
      WatchListener blocked =
          told -> {
            await(gate);
            slow.addAll(told.events());
          };
      Recorder heard = new Recorder();
      Watch first = node.watch(KeyRange.all(), WatchOptions.DEFAULT, blocked);
      Watch second = node.watch(KeyRange.all(), WatchOptions.DEFAULT, heard);
      first.started().join();
      second.started().join();
      // Many times what one watch may have under way.
      Bytes value = bytes("v".repeat(50_000));
      IntStream.range(0, 200).forEach(i -> node.blocking().put(bytes("k" + i % 7), value));
      Await.until("the other one has all", LIMIT, () -> heard.events().size() == 200);
      assertThat(node.watchStats().behind()).isEqualTo(1);
      assertThat(slow).isEmpty();
      gate.countDown();
      Await.until("it catches up", LIMIT, () -> node.watchStats().behind() == 0);
      first.close();
      first.ended().join();
      assertThat(slow).isEqualTo(heard.events());
    }
  }

  private static void await(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aSnapshotIsFollowedByWhatChangesBehindIt() {
    try (KvNode node = alone()) {
      node.blocking().put(bytes("k1"), bytes("1"));
      node.blocking().put(bytes("k2"), bytes("2"));
      Recorder heard = new Recorder();
      Watch watch = node.watchWithSnapshot(KeyRange.prefix(bytes("k")), heard);
      assertThat(watch.started().join()).isEqualTo(4);
      node.blocking().delete(bytes("k1"));
      Await.until("the deletion", LIMIT, () -> heard.events().size() == 1);
      assertThat(heard.snapshots()).hasSize(1);
      assertThat(heard.snapshots().get(0))
          .extracting(found -> found.value().toUtf8())
          .containsExactly("1", "2");
      watch.close();
      assertThat(watch.ended().join()).isEqualTo(new WatchEnd.Closed());
      assertThat(heard.ends()).hasSize(1);
    }
  }

  /** Whole revisions are never split, unless that is asked for. */
  @Test
  void aLargeRevisionIsDeliveredWholeOrInTheFragmentsThatWereAskedFor() {
    try (KvNode node = alone()) {
      List<WatchEvents> whole = new CopyOnWriteArrayList<>();
      List<WatchEvents> parts = new CopyOnWriteArrayList<>();
      WatchOptions fromNow = WatchOptions.DEFAULT;
      node.watch(KeyRange.all(), fromNow, whole::add).started().join();
      node.watch(KeyRange.all(), fromNow.withFragments(), parts::add).started().join();
      Bytes value = bytes("v".repeat(700_000));
      Op[] ops =
          IntStream.range(0, 5).mapToObj(i -> Op.put(bytes("k" + i), value)).toArray(Op[]::new);
      node.blocking().txn(Txn.of(ops));
      Await.until("the whole", LIMIT, () -> !whole.isEmpty());
      Await.until(
          "the last part",
          LIMIT,
          () -> !parts.isEmpty() && !parts.get(parts.size() - 1).isFragment());
      assertThat(whole).hasSize(1);
      assertThat(whole.get(0).events()).hasSize(5);
      assertThat(parts).hasSizeGreaterThan(2).allMatch(part -> part.revision() == 2);
      assertThat(parts.subList(0, parts.size() - 1)).allMatch(WatchEvents::isFragment);
      assertThat(parts.stream().flatMap(part -> part.events().stream()).toList())
          .isEqualTo(whole.get(0).events());
    }
  }

  /** FAULTS F122: closed in its own callback; nothing comes behind it. */
  @Test
  void aWatchMayBeClosedByItsListener() {
    try (KvNode node = alone()) {
      List<WatchEvents> told = new ArrayList<>();
      Watch[] own = new Watch[1];
      CountDownLatch opened = new CountDownLatch(1);
      own[0] =
          node.watch(
              KeyRange.all(),
              WatchOptions.DEFAULT,
              events -> {
                await(opened);
                told.add(events);
                own[0].close();
              });
      opened.countDown();
      own[0].started().join();
      IntStream.range(0, 5).forEach(i -> node.blocking().put(bytes("k"), bytes("v" + i)));
      assertThat(own[0].ended().join()).isEqualTo(new WatchEnd.Closed());
      assertThat(told).hasSize(1);
      Await.until("the node knows", LIMIT, () -> node.watchStats().watches() == 0);
    }
  }
}
