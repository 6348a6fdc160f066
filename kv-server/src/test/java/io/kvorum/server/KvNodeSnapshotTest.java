package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that are behind the log, over real sockets, a real disk and RocksDB. */
class KvNodeSnapshotTest {
  private static final int VALUE_BYTES = 1 << 20;
  private static final int WRITES = 20;
  private static final SnapshotConfig OFTEN =
      SnapshotConfig.DEFAULT.withLogBytes(6 << 20).withLogBounds(0, 0);

  @TempDir Path directory;
  private final SplittableRandom random = new SplittableRandom(7);
  private int written;

  private static KvNode start(Group group, Member self, List<Member> members) {
    return group.start(group.config(self, members).snapshots(OFTEN).build());
  }

  /** FAULTS F061, F066, F075: behind, then with everything, also after all have started again. */
  @Test
  void aNodeThatIsBehindTheLogAndOneThatIsNewGetASnapshotAndServe() {
    List<Member> all = TestCluster.freeMembers(4);
    List<Member> three = all.subList(0, 3);
    try (Group group = new Group(directory);
        RemoteKvClient client = Group.client(all.get(0))) {
      three.forEach(member -> start(group, member, three));
      write(client, 2);
      Recorder seen = new Recorder();
      client.watch(
          KeyRange.prefix(Bytes.utf8("key")), WatchOptions.DEFAULT.withFromRevision(1), seen);
      String leader = group.awaitLeader();
      Member behind = three.stream().filter(each -> !id(each).equals(leader)).findFirst().get();
      Await.until("it has begun", Group.LIMIT, () -> applied(group, id(behind)) > 2);
      long last = group.status(id(behind)).log().last();
      group.stop(id(behind));
      write(client, WRITES);
      Await.until(
          "the leader has cut its log",
          Group.LIMIT,
          () -> group.status(group.awaitLeader()).snapshots().logFirst() > last + 1);

      start(group, behind, three);
      awaitEqual(group, client, id(behind));
      assertThat(group.status(id(behind)).snapshots().logFirst()).isGreaterThan(last + 1);
      write(client, 2);
      awaitEqual(group, client, id(behind));

      three.forEach(member -> group.stop(id(member)));
      three.forEach(member -> start(group, member, three));
      write(client, 2);
      three.forEach(member -> awaitEqual(group, client, id(member)));

      Member joins = all.get(3);
      group.start(group.config(joins, all).join(true).snapshots(OFTEN).build());
      client.addMember(Group.voter(joins)).join();
      awaitEqual(group, client, id(joins));
      assertThat(group.status(id(joins)).snapshots().logFirst()).isGreaterThan(1);

      Await.until("the watch has all", Group.LIMIT, () -> seen.events().size() >= written);
      assertThat(seen.ends()).isEmpty();
      assertThat(seen.events()).hasSize(written);
      assertThat(seen.events()).extracting(event -> event.keyValue().modRevision()).isSorted();
    }
  }

  private static String id(Member member) {
    return member.id().name();
  }

  private static long applied(Group group, String id) {
    return group.status(id).log().applied();
  }

  private void write(RemoteKvClient client, int count) {
    CompletableFuture<?>[] all = new CompletableFuture<?>[count];
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(value);
      all[i] = client.put(Bytes.utf8("key" + written++ % 5), Bytes.copyOf(value));
    }
    CompletableFuture.allOf(all).join();
  }

  /** While a snapshot is installed, the state is there a moment before the log. */
  private static boolean hasRevision(NodeStatus status, long revision) {
    return status.revision() >= revision && status.log().applied() <= status.log().committed();
  }

  /** The node has what a linearizable read finds, and says so itself. */
  private static void awaitEqual(Group group, RemoteKvClient client, String id) {
    long revision = client.blocking().get(Bytes.utf8("key0")).header().revision();
    Await.until(
        id + " has revision " + revision,
        Group.LIMIT,
        () -> hasRevision(group.status(id), revision),
        () -> group.status(id).toString());
    GetOptions local =
        GetOptions.DEFAULT.withConsistency(
            ReadConsistency.boundedStaleness(Duration.ofSeconds(30)));
    for (int i = 0; i < 5; i++) {
      Bytes key = Bytes.utf8("key" + i);
      assertThat(group.node(id).get(key, local).join().value())
          .as(key + " on " + id)
          .isEqualTo(client.blocking().get(key).value());
    }
  }
}
