package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.protocol.ProtocolLimits;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An embedded node, alone and among others, over real sockets and a real disk. */
class KvNodeTest {
  @TempDir Path directory;

  private static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  private ServerConfig alone() {
    return ServerConfig.embedded(directory.resolve("n1")).build();
  }

  @Test
  void aNodeAloneKeepsWhatItAcknowledgedOverARestart() {
    long first;
    try (KvNode node = KvNode.start(alone())) {
      PutResult put = node.blocking().put(bytes("a"), bytes("1"));
      first = put.header().revision();
      assertThat(first).as("a new store is at revision 1").isEqualTo(2);
      PutResult again =
          node.blocking().put(bytes("a"), bytes("2"), PutOptions.DEFAULT.withPrevious());
      assertThat(again.previous().map(KeyValue::value)).contains(bytes("1"));
      node.blocking().put(bytes("b"), bytes("3"));
      assertThat(node.blocking().delete(bytes("b")).deleted()).isEqualTo(1);
    }
    try (KvNode node = KvNode.start(alone())) {
      BlockingKvClient kv = node.blocking();
      assertThat(kv.get(bytes("a")).value()).contains(bytes("2"));
      assertThat(kv.get(bytes("b")).value()).isEmpty();
      assertThat(kv.get(bytes("a"), GetOptions.DEFAULT.withRevision(first)).value())
          .contains(bytes("1"));
      assertThat(kv.put(bytes("c"), bytes("4")).header().revision()).isEqualTo(first + 4);
    }
  }

  @Test
  void aThreadThatIsInterruptedStartsNothingAndDamagesNothing() {
    try (KvNode node = KvNode.start(alone())) {
      node.blocking().put(bytes("a"), bytes("1"));
    }
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> KvNode.start(alone()))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("n1 was not started: the thread that starts it is interrupted")
          .hasCauseInstanceOf(InterruptedIOException.class);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      boolean unused = Thread.interrupted();
    }
    try (KvNode node = KvNode.start(alone())) {
      assertThat(node.blocking().get(bytes("a")).value()).contains(bytes("1"));
    }
  }

  @Test
  void aCallMayHaveAnotherDeadlineAndItsViewClosesNothing() {
    try (KvNode node = KvNode.start(alone())) {
      KvClient patient = node.withTimeout(Duration.ofMinutes(1));
      patient.blocking().put(bytes("a"), bytes("1"));
      patient.close();
      assertThat(patient.blocking().get(bytes("a")).value()).contains(bytes("1"));
      assertThat(node.blocking().get(bytes("a")).value()).contains(bytes("1"));
      assertThatThrownBy(() -> node.withTimeout(Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void rangesHaveLimitOrderAndCount() {
    try (KvNode node = KvNode.start(alone())) {
      BlockingKvClient kv = node.blocking();
      for (String key : List.of("p/1", "p/2", "p/3", "q")) {
        kv.put(bytes(key), bytes("value of " + key));
      }
      KeyRange prefix = KeyRange.prefix(bytes("p/"));
      var all = kv.range(prefix);
      assertThat(all.keyValues())
          .extracting(found -> found.key().toUtf8())
          .containsExactly("p/1", "p/2", "p/3");
      var limited = kv.range(prefix, RangeOptions.DEFAULT.withLimit(1).withReverse());
      assertThat(limited.keyValues())
          .extracting(found -> found.key().toUtf8())
          .containsExactly("p/3");
      assertThat(limited.more()).isTrue();
      assertThat(limited.count()).isEqualTo(3);
      assertThat(kv.range(prefix, RangeOptions.DEFAULT.withCountOnly()).keyValues()).isEmpty();
      assertThat(kv.deleteRange(prefix, new DeleteOptions(true)).previous()).hasSize(3);
      assertThat(kv.range(KeyRange.all()).count()).isEqualTo(1);
      assertThat(kv.range(KeyRange.all(), RangeOptions.DEFAULT.withRevision(4)).count())
          .as("before the last put and the delete")
          .isEqualTo(3);
    }
  }

  @Test
  void whatIsWrongIsRejectedWithTheLimitAndChangesNothing() {
    try (KvNode node = KvNode.start(alone())) {
      BlockingKvClient kv = node.blocking();
      long before = kv.put(bytes("k"), bytes("v")).header().revision();
      rejected(() -> kv.put(Bytes.EMPTY, bytes("v")), "key");
      rejected(
          () -> kv.put(Bytes.copyOf(new byte[ProtocolLimits.KEY_BYTES_MAX + 1]), bytes("v")),
          "" + ProtocolLimits.KEY_BYTES_MAX);
      rejected(
          () -> kv.put(bytes("k"), Bytes.copyOf(new byte[ProtocolLimits.ENTRY_BYTES_MAX])),
          "" + ProtocolLimits.ENTRY_BYTES_MAX);
      rejected(() -> kv.range(KeyRange.all(), RangeOptions.DEFAULT.withLimit(-1)), "limit");
      rejected(() -> kv.get(bytes("k"), GetOptions.DEFAULT.withRevision(before + 1)), "" + before);
      rejected(() -> kv.get(bytes("k"), GetOptions.DEFAULT.withRevision(-1)), "revision");
      assertThatThrownBy(() -> KeyRange.of(bytes("b"), bytes("a")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reversed");
      assertThat(kv.get(bytes("k")).header().revision()).isEqualTo(before);
    }
  }

  private static void rejected(Runnable call, String word) {
    assertThatThrownBy(call::run)
        .isInstanceOf(KvException.Rejected.class)
        .hasMessageContaining(word);
  }

  /** It would wait for its own thread, for ever, and all other calls with it. */
  @Test
  void aCallbackMustNotWaitForAnotherCall() {
    try (KvNode node = KvNode.start(alone())) {
      Bytes key = Bytes.utf8("k");
      CompletableFuture<PutResult> second =
          node.put(key, key).thenApply(first -> node.blocking().put(key, Bytes.utf8("second")));
      assertThatThrownBy(second::join)
          .hasRootCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("must not wait");
      assertThat(node.blocking().get(key).value()).contains(key);
    }
  }

  @Test
  void theLargestEntryIsAccepted() {
    try (KvNode node = KvNode.start(alone())) {
      Bytes key = Bytes.copyOf(new byte[ProtocolLimits.KEY_BYTES_MAX]);
      Bytes value =
          Bytes.copyOf(new byte[ProtocolLimits.ENTRY_BYTES_MAX - ProtocolLimits.KEY_BYTES_MAX]);
      node.blocking().put(key, value);
      assertThat(node.blocking().get(key).value()).contains(value);
    }
  }

  @Test
  void aDirectoryServesOneNodeAndTheRightOne() {
    try (KvNode node = KvNode.start(alone())) {
      assertThatThrownBy(() -> KvNode.start(alone()))
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining("in use");
      node.blocking().put(bytes("still"), bytes("here"));
    }
    ServerConfig.Builder same = ServerConfig.embedded(directory.resolve("n1"));
    assertThatThrownBy(() -> KvNode.start(same.clusterId("other").build()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("cluster kvorum")
        .hasMessageContaining("cluster other");
    assertThatThrownBy(() -> KvNode.start(same.clusterId("kvorum").nodeId("n7").build()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("n1")
        .hasMessageContaining("n7");
    try (KvNode node = KvNode.start(alone())) {
      assertThat(node.blocking().get(bytes("still")).value()).contains(bytes("here"));
    }
  }

  @Test
  void inAClusterAnyNodeTakesRequests() {
    try (TestCluster cluster = TestCluster.start(directory, 3)) {
      for (int i = 0; i < 3; i++) {
        cluster.node(i).blocking().put(bytes("from-" + i), bytes("value-" + i));
      }
      for (int i = 0; i < 3; i++) {
        assertThat(cluster.node(2 - i).blocking().get(bytes("from-" + i)).value())
            .contains(bytes("value-" + i));
      }
    }
  }

  @Test
  void manyPutsUnderWayOnOneNodeAllEnd() {
    try (TestCluster cluster = TestCluster.start(directory, 3)) {
      List<CompletableFuture<PutResult>> puts = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        puts.add(cluster.node(i % 3).put(bytes("key-" + i % 100), bytes("value-" + i)));
      }
      CompletableFuture.allOf(puts.toArray(CompletableFuture[]::new)).join();
      assertThat(puts.stream().map(put -> put.join().header().revision()).distinct().count())
          .as("each put has a revision of its own")
          .isEqualTo(5_000);
      assertThat(cluster.node(0).blocking().range(KeyRange.all()).count()).isEqualTo(100);
    }
  }

  @Test
  void anAcknowledgedPutSurvivesTheRestartOfEachNodeInTurn() {
    try (TestCluster cluster = TestCluster.start(directory, 3)) {
      for (int round = 0; round < 3; round++) {
        cluster.node((round + 1) % 3).blocking().put(bytes("round-" + round), bytes("kept"));
        cluster.restart(round);
        for (int earlier = 0; earlier <= round; earlier++) {
          assertThat(cluster.node(round).blocking().get(bytes("round-" + earlier)).value())
              .contains(bytes("kept"));
        }
      }
    }
  }
}
