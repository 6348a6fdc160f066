package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.RangeOptions;
import io.kvorum.protocol.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a client refuses by itself: bad arguments, too much at once, calls after its end. */
class LimitsTest {
  private static final Bytes VALUE = Bytes.utf8("v");

  private final FakeCluster cluster = new FakeCluster();

  private void assertRejected(CompletableFuture<?> call, Reason reason, String message) {
    assertThat(call).as("refused in the call itself").isCompletedExceptionally();
    assertThat(cluster.failure(call))
        .isInstanceOfSatisfying(
            KvException.Rejected.class, rejected -> assertThat(rejected.reason()).isEqualTo(reason))
        .hasMessageContaining(message)
        .hasMessageContaining("nothing was changed");
  }

  @Test
  void argumentsThatNoServerAcceptsAreRejectedUnsent() {
    RemoteKvClient client = cluster.client();
    Bytes longKey = Bytes.copyOf(new byte[(16 << 10) + 1]);
    Bytes key = FakeCluster.KEY;

    assertRejected(client.put(Bytes.EMPTY, VALUE), Reason.INVALID_ARGUMENT, "empty");
    assertRejected(client.get(Bytes.EMPTY), Reason.INVALID_ARGUMENT, "empty");
    assertRejected(client.delete(Bytes.EMPTY), Reason.INVALID_ARGUMENT, "empty");
    assertRejected(client.put(longKey, VALUE), Reason.TOO_LARGE, "16384");
    assertRejected(client.get(longKey), Reason.TOO_LARGE, "16384");
    assertRejected(client.delete(longKey), Reason.TOO_LARGE, "16384");
    assertRejected(client.range(KeyRange.from(longKey)), Reason.TOO_LARGE, "16384");
    assertRejected(
        client.deleteRange(KeyRange.from(longKey), DeleteOptions.DEFAULT),
        Reason.TOO_LARGE,
        "16384");
    assertRejected(client.put(key, Bytes.copyOf(new byte[4 << 20])), Reason.TOO_LARGE, "4194304");
    assertRejected(
        client.get(key, GetOptions.DEFAULT.withRevision(-1)),
        Reason.INVALID_ARGUMENT,
        "revision is -1");
    assertRejected(
        client.range(KeyRange.all(), RangeOptions.DEFAULT.withLimit(-2)),
        Reason.INVALID_ARGUMENT,
        "limit is -2");
    assertRejected(
        client.range(KeyRange.all(), RangeOptions.DEFAULT.withRevision(-3)),
        Reason.INVALID_ARGUMENT,
        "revision is -3");
    cluster.runMillis(1_000);
    assertThat(cluster.attempts()).isZero();
    assertThat(client.inflightCalls()).isZero();
  }

  @Test
  void whatIsExactlyAtTheLimitIsSent() {
    Bytes longestKey = Bytes.copyOf(new byte[16 << 10]);
    cluster.await(cluster.client().put(longestKey, VALUE));
    cluster.await(cluster.client().put(FakeCluster.KEY, Bytes.copyOf(new byte[(4 << 20) - 1])));
    cluster.await(cluster.client().get(longestKey));
    assertThat(cluster.n1.requests()).isEqualTo(3);
  }

  /** The first calls are checked when they are sent, later ones when they are made. */
  @Test
  void theServersOwnLimitsHoldOnceItHasNamedThem() {
    cluster.n1.limits = Limits.newBuilder().setKeyBytesMax(4).setEntryBytesMax(10).build();
    RemoteKvClient client = cluster.client();
    Bytes five = Bytes.utf8("12345");
    assertThat(cluster.failure(client.put(five, VALUE)))
        .isInstanceOf(KvException.Rejected.class)
        .hasMessageContaining("limit of 4 bytes");
    assertRejected(client.put(five, VALUE), Reason.TOO_LARGE, "limit of 4 bytes");
    assertRejected(
        client.put(FakeCluster.KEY, Bytes.utf8("1234567890")), Reason.TOO_LARGE, "10 bytes");
    assertThat(cluster.n1.requests()).isZero();
  }

  @Test
  void oneCallTooManyIsOverloadedAtOnce() {
    cluster.client(cluster.config().inflightMax(3));
    cluster.n1.stopped = true;
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      calls.add(cluster.put("v" + i));
    }
    CompletableFuture<?> tooMany = cluster.put("v3");
    assertThat(tooMany).isCompletedExceptionally();
    assertThat(cluster.failure(tooMany)).isInstanceOf(KvException.Overloaded.class);

    cluster.n1.resume();
    calls.forEach(cluster::await);
    cluster.await(cluster.put("v4"));
    assertThat(cluster.executions("v3")).isZero();
    assertThat(cluster.client().inflightCalls()).isZero();
  }

  @Test
  void bytesUnderWayAreBounded() {
    cluster.client(cluster.config().inflightBytesMax(1 << 20));
    cluster.n1.stopped = true;
    Bytes half = Bytes.copyOf(new byte[500 << 10]);
    RemoteKvClient client = cluster.client();
    CompletableFuture<?> one = client.put(FakeCluster.KEY, half);
    CompletableFuture<?> two = client.put(FakeCluster.KEY, half);
    CompletableFuture<?> three = client.put(FakeCluster.KEY, half);
    assertThat(cluster.failure(three)).isInstanceOf(KvException.Overloaded.class);
    cluster.n1.resume();
    cluster.await(one);
    cluster.await(two);
    assertThat(client.inflightBytes()).isZero();
    cluster.await(client.put(FakeCluster.KEY, Bytes.copyOf(new byte[3 << 20])));
  }

  /** A burst far over the limit ends, every call of it, and leaves nothing behind (FAULTS F155). */
  @Test
  void aBurstIsRefusedNotQueued() {
    cluster.n1.stopped = true;
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      calls.add(cluster.put("v" + i));
    }
    assertThat(calls.stream().filter(CompletableFuture::isCompletedExceptionally))
        .hasSize(100_000 - 16_384);
    cluster.n1.resume();
    cluster.runMillis(6_000);
    assertThat(calls).allMatch(CompletableFuture::isDone);
    assertThat(cluster.client().inflightCalls()).isZero();
    assertThat(cluster.store.puts).hasSize(16_384);
  }

  @Test
  void closeEndsEveryCallByWhatIsKnownOfIt() {
    cluster.await(cluster.put("a"));
    cluster.n1.stopped = true;
    CompletableFuture<?> sentWrite = cluster.put("b");
    CompletableFuture<?> sentRead = cluster.client().get(FakeCluster.KEY);
    CompletableFuture<?> status = cluster.client().status(Endpoint.parse("127.0.0.1:7402"));
    cluster.loop.runFor(Duration.ZERO);
    CompletableFuture<?> unsent = cluster.put("c");
    cluster.client().close();

    assertThat(cluster.failure(sentWrite)).isInstanceOf(KvException.OutcomeUnknown.class);
    assertThat(cluster.failure(sentRead)).isExactlyInstanceOf(KvException.ClientClosed.class);
    assertThat(cluster.failure(status)).isExactlyInstanceOf(KvException.Unavailable.class);
    assertThat(cluster.failure(unsent)).isInstanceOf(KvException.class);
    assertThat(cluster.failure(cluster.put("d")))
        .isExactlyInstanceOf(KvException.ClientClosed.class)
        .hasMessageContaining("closed");
    cluster.client().close();
    assertThat(cluster.loop.isClosed()).isTrue();
    assertThat(cluster.client().inflightCalls()).isZero();
    assertThat(cluster.client().inflightBytes()).isZero();
  }

  /** An application may shut its executor down too early; futures end all the same. */
  @Test
  void futuresEndThoughTheExecutorRefuses() throws Exception {
    cluster.client(
        cluster
            .config()
            .callbackExecutor(
                task -> {
                  throw new RejectedExecutionException("shut down");
                }));
    CompletableFuture<?> put = cluster.put("a");
    cluster.runMillis(20);
    put.get(10, TimeUnit.SECONDS);
  }

  @Test
  void aCallbackThatThrowsHurtsNobody() {
    CompletableFuture<?> put =
        cluster
            .put("a")
            .thenRun(
                () -> {
                  throw new IllegalStateException("a bug of the application");
                });
    cluster.runMillis(20);
    assertThat(put).isCompletedExceptionally();
    cluster.await(cluster.put("b"));
  }
}
