package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.client.RemoteKvClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes that take effect once, over real connections and real disks. */
class KvNodeSessionTest {
  private static final Bytes COUNTER = Bytes.utf8("n");
  private static final Bytes KEY = Bytes.utf8("k");

  @TempDir Path directory;

  /** FAULTS F102, F107, F110: nothing is lost, nothing done twice, nothing overtaken. */
  @Test
  void writesTakeEffectOnceAndInOrderThroughChangesOfTheLeader() {
    try (TestCluster cluster = TestCluster.start(directory, 3);
        RemoteKvClient client = Group.client(cluster.member(0))) {
      List<CompletableFuture<TxnResult>> adds = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++) {
          adds.add(client.txn(Txn.of(Op.add(COUNTER, 1))));
        }
        cluster.node(round % 3).blocking().get(COUNTER);
        cluster.restart(round % 3);
      }
      for (int i = 0; i < adds.size(); i++) {
        OpResult.Add added = (OpResult.Add) adds.get(i).join().results().get(0);
        assertThat(added.value()).isEqualTo(i + 1);
      }
      assertThat(client.leases().list().join().ids()).as("sessions are nobody's leases").isEmpty();
    }
  }

  @Test
  void anIdempotencyKeyOutlivesTheProcessThatGaveIt() {
    PutOptions once =
        PutOptions.DEFAULT.withPrevious().withIdempotencyKey(KEY, Duration.ofMinutes(5));
    PutResult first;
    ServerConfig config = ServerConfig.embedded(directory.resolve("n1")).build();
    try (KvNode node = KvNode.start(config)) {
      node.blocking().put(COUNTER, KEY);
      first = node.blocking().put(COUNTER, COUNTER, once);
      assertThat(first.previous().orElseThrow().value()).isEqualTo(KEY);
      node.blocking().put(COUNTER, KEY);
    }
    try (KvNode node = KvNode.start(config)) {
      assertThat(node.blocking().put(COUNTER, COUNTER, once)).isEqualTo(first);
      assertThat(node.blocking().get(COUNTER).value()).contains(KEY);
      assertThatThrownBy(() -> node.blocking().put(COUNTER, KEY, once))
          .isInstanceOfSatisfying(
              KvException.Rejected.class,
              why -> assertThat(why.reason()).isEqualTo(Reason.IDEMPOTENCY_KEY_REUSED));
    }
  }
}
