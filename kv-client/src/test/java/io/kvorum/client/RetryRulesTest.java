package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.GetResult;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.StatusResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is sent again and what is not (FAULTS F102), and what callers are told. */
class RetryRulesTest {
  private final FakeCluster cluster = new FakeCluster();

  /**
   * Every answer of a server, its effect on a write and on a read: sent again until it succeeds, or
   * the exception that the caller sees.
   */
  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, REASON_UNSPECIFIED, again, again",
    "UNAVAILABLE, NOT_LEADER, again, again",
    "UNAVAILABLE, OVERLOADED, again, again",
    "UNAVAILABLE, SHUTTING_DOWN, again, again",
    "UNAVAILABLE, LEADERSHIP_LOST, again, again",
    "UNAVAILABLE, TIMED_OUT, again, again",
    "OUTCOME_UNKNOWN, LEADERSHIP_LOST, OutcomeUnknown, again",
    "OUTCOME_UNKNOWN, NOT_LEADER, OutcomeUnknown, again",
    "OUTCOME_UNKNOWN, TIMED_OUT, OutcomeUnknown, again",
    "OUTCOME_UNKNOWN, SHUTTING_DOWN, OutcomeUnknown, again",
    "KIND_UNSPECIFIED, REASON_UNSPECIFIED, OutcomeUnknown, again",
    "REJECTED, INVALID_ARGUMENT, Rejected, Rejected",
    "REJECTED, TOO_LARGE, Rejected, Rejected",
    "REJECTED, REVISION_COMPACTED, Compacted, Compacted",
    "REJECTED, DUPLICATE_KEY, Rejected, Rejected",
    "REJECTED, REVISION_IN_FUTURE, Rejected, Rejected",
    "REJECTED, WRONG_CLUSTER, Rejected, Rejected",
    "REJECTED, UNSUPPORTED, Rejected, Rejected",
  })
  void answersThatAreErrors(
      Error.Kind kind, Error.Reason reason, String writeEnds, String readEnds) {
    Error error = Error.newBuilder().setKind(kind).setReason(reason).setMessage("no").build();
    cluster.await(cluster.put("first"));

    long before = cluster.n1.requests();
    cluster.n1.refusals.add(error);
    assertThat(end(cluster.put("w"))).isEqualTo(writeEnds);
    assertThat(cluster.n1.requests() - before).isEqualTo(writeEnds.equals("again") ? 2 : 1);
    assertThat(cluster.executions("w")).as("never twice").isLessThanOrEqualTo(1);

    before = cluster.n1.requests();
    cluster.n1.refusals.add(error);
    assertThat(end(cluster.client().get(FakeCluster.KEY))).isEqualTo(readEnds);
    assertThat(cluster.n1.requests() - before).isEqualTo(readEnds.equals("again") ? 2 : 1);
  }

  private String end(CompletableFuture<?> future) {
    if (!cluster.loop.runUntil(future::isDone, Duration.ofSeconds(10))) {
      return "never";
    }
    return future.handle((ok, failed) -> failed == null ? "again" : name(failed)).join();
  }

  private static String name(Throwable failed) {
    return failed.getClass().getSimpleName();
  }

  @Test
  void aCallMayHaveADeadlineOfItsOwn() {
    RemoteKvClient hurried = cluster.client().withTimeout(Duration.ofMillis(200));
    cluster.await(hurried.get(FakeCluster.KEY));
    cluster.n1.kill();
    cluster.n2.kill();
    cluster.n3.kill();
    CompletableFuture<?> quick = hurried.get(FakeCluster.KEY);
    CompletableFuture<?> slow = cluster.client().get(FakeCluster.KEY);
    cluster.runMillis(150);
    assertThat(quick).isNotDone();
    cluster.runMillis(100);
    assertThat(end(quick)).isEqualTo("Unavailable");
    assertThat(slow).isNotDone();
    hurried.close();
    assertThat(slow).as("a view closes nothing").isNotDone();
    assertThat(end(slow)).isEqualTo("Unavailable");
  }

  /** FAULTS F102: one that can write is a write, whichever branch it would take. */
  @Test
  void aTransactionIsSentAgainOnlyIfItCanOnlyRead() {
    Error lost = Error.newBuilder().setKind(Error.Kind.OUTCOME_UNKNOWN).setMessage("no").build();
    cluster.await(cluster.put("first"));
    Txn read =
        Txn.when(Compare.version(FakeCluster.KEY).isEqualTo(0)).then(Op.get(FakeCluster.KEY));
    Txn write = read.otherwise(Op.txn(Txn.of(Op.delete(FakeCluster.KEY))));

    long before = cluster.n1.requests();
    cluster.n1.refusals.add(lost);
    assertThat(end(cluster.client().txn(write))).isEqualTo("OutcomeUnknown");
    assertThat(cluster.n1.requests() - before).isEqualTo(1);

    before = cluster.n1.requests();
    cluster.n1.refusals.add(lost);
    assertThat(end(cluster.client().txn(read))).isEqualTo("again");
    assertThat(cluster.n1.requests() - before).isEqualTo(2);
  }

  /** What no server accepts is not sent at all. */
  @Test
  void aTransactionThatBreaksARuleIsNotSent() {
    cluster.await(cluster.put("first"));
    long before = cluster.n1.requests();
    Op put = Op.put(FakeCluster.KEY, FakeCluster.KEY);
    for (Txn wrong :
        List.of(
            Txn.of(put, put), new Txn(List.of(), Collections.nCopies(1_000_000, put), List.of()))) {
      assertThat(cluster.failure(cluster.client().txn(wrong)))
          .isInstanceOf(KvException.Rejected.class)
          .hasMessageContaining("nothing was changed");
    }
    TxnOptions stale = TxnOptions.DEFAULT.withConsistency(ReadConsistency.LEASE);
    assertThat(cluster.failure(cluster.client().txn(Txn.of(put), stale)))
        .hasMessageContaining("linearizable");
    assertThat(cluster.n1.requests()).isEqualTo(before);
  }

  @Test
  void aWriteWhoseAnswerIsLostIsSentExactlyOnce() {
    cluster.n1.swallowsAnswers = true;
    CompletableFuture<?> put = cluster.put("a");
    cluster.runMillis(20);
    assertThat(cluster.executions("a")).isEqualTo(1);
    cluster.n1.swallowsAnswers = false;
    cluster.n1.cutConnections();

    assertThat(cluster.failure(put)).isInstanceOf(KvException.OutcomeUnknown.class);
    cluster.runMillis(20_000);
    assertThat(cluster.executions("a")).isEqualTo(1);
    assertThat(cluster.nodes.stream().mapToLong(FakeNode::requests).sum()).isEqualTo(1);
  }

  @Test
  void aReadWhoseAnswerIsLostIsSentAgain() {
    cluster.await(cluster.put("a"));
    cluster.n1.swallowsAnswers = true;
    CompletableFuture<GetResult> get = cluster.client().get(FakeCluster.KEY);
    cluster.runMillis(20);
    cluster.n1.swallowsAnswers = false;
    cluster.n1.cutConnections();
    assertThat(cluster.await(get).value()).contains(Bytes.utf8("a"));
  }

  @Test
  void aSentWriteWithoutAnswerIsOutcomeUnknownAtItsDeadline() {
    cluster.n1.swallowsAnswers = true;
    Duration before = cluster.loop.elapsed();
    KvException failure = cluster.failure(cluster.put("a"));
    assertThat(failure).isInstanceOf(KvException.OutcomeUnknown.class);
    assertThat(cluster.loop.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(5));
    assertThat(cluster.executions("a")).isEqualTo(1);
  }

  /** The node answers probes, so it lives; a read that it swallows ends harmlessly. */
  @Test
  void aReadWithoutAnswerIsUnavailableAtItsDeadline() {
    cluster.n1.swallowsAnswers = true;
    Duration before = cluster.loop.elapsed();
    KvException failure = cluster.failure(cluster.client().get(FakeCluster.KEY));
    assertThat(failure).isExactlyInstanceOf(KvException.Unavailable.class);
    assertThat(cluster.loop.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aWriteThatWasNeverSentIsUnavailableAtItsDeadline() {
    cluster.nodes.forEach(FakeNode::kill);
    Duration before = cluster.loop.elapsed();
    KvException failure = cluster.failure(cluster.put("a"));
    assertThat(failure)
        .isExactlyInstanceOf(KvException.Unavailable.class)
        .hasMessageContaining("connection refused");
    assertThat(cluster.loop.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aWriteHeldBackByAFullConnectionIsUnavailableAtItsDeadline() {
    cluster.await(cluster.put("a"));
    cluster.n1.takesMore = false;
    assertThat(cluster.failure(cluster.put("b")))
        .isExactlyInstanceOf(KvException.Unavailable.class);
    assertThat(cluster.executions("b")).isZero();

    CompletableFuture<?> later = cluster.put("c");
    cluster.runMillis(100);
    assertThat(later).isNotDone();
    cluster.n1.takeMore();
    cluster.await(later);
    assertThat(cluster.executions("c")).isEqualTo(1);
  }

  @Test
  void overloadToTheEndIsToldAsOverload() {
    Error busy =
        Error.newBuilder()
            .setKind(Error.Kind.UNAVAILABLE)
            .setReason(Error.Reason.OVERLOADED)
            .setRetryAfterMillis(700)
            .setMessage("64 MiB wait")
            .build();
    for (int i = 0; i < 100; i++) {
      cluster.n1.refusals.add(busy);
    }
    KvException failure = cluster.failure(cluster.put("a"));
    assertThat(failure)
        .isInstanceOfSatisfying(
            KvException.Overloaded.class,
            overloaded -> assertThat(overloaded.retryAfter()).isEqualTo(Duration.ofMillis(700)))
        .hasMessageContaining("64 MiB wait");
    assertThat(cluster.n1.requests()).as("each try waits as long as asked").isBetween(5L, 8L);
    assertThat(cluster.n1.attempts).as("on the same connection").hasSize(1);
  }

  @Test
  void theFrameCarriesTheTimeThatIsLeft() {
    cluster.lead(null);
    cluster.client(cluster.config().requestTimeout(Duration.ofSeconds(3)));
    CompletableFuture<?> put = cluster.put("a");
    cluster.runMillis(1_000);
    cluster.lead(cluster.n1);
    cluster.await(put);
    int sentMillis = cluster.n1.received.get(cluster.n1.received.size() - 1).getTimeoutMillis();
    assertThat(sentMillis).isBetween(500, 2_000);
  }

  /** No server may make a client believe the answer to another question. */
  @Test
  void anAnswerOfTheWrongTypeEndsTheConnection() {
    cluster.await(cluster.put("a"));
    cluster.n1.wrongAnswer =
        ServerFrame.newBuilder().setStatus(StatusResponse.getDefaultInstance()).build();
    assertThat(cluster.failure(cluster.put("b"))).isInstanceOf(KvException.OutcomeUnknown.class);
    cluster.await(cluster.put("c"));
    assertThat(cluster.n1.hellos()).as("a new connection").isEqualTo(2);
  }

  @Test
  void anAnswerThatComesAfterTheDeadlineChangesNothing() {
    cluster.n1.stopped = true;
    cluster.client(cluster.config().requestTimeout(Duration.ofMillis(500)));
    cluster.n1.stopped = false;
    cluster.await(cluster.put("a"));
    cluster.n1.stopped = true;
    CompletableFuture<?> put = cluster.put("b");
    assertThat(cluster.failure(put)).isInstanceOf(KvException.OutcomeUnknown.class);
    cluster.n1.resume();
    cluster.runMillis(10);
    assertThat(cluster.executions("b")).isEqualTo(1);
    assertThat(put).isCompletedExceptionally();
    cluster.await(cluster.put("c"));
    assertThat(cluster.n1.hellos()).isEqualTo(1);
  }

  @Test
  void aCallThatWasCancelledBeforeItWasSentIsNotSent() {
    cluster.lead(null);
    CompletableFuture<?> cancelled = cluster.put("a");
    CompletableFuture<?> other = cluster.put("b");
    cluster.runMillis(100);
    cancelled.cancel(false);
    cluster.lead(cluster.n1);
    cluster.await(other);
    cluster.runMillis(10_000);
    assertThat(cluster.executions("a")).isZero();
    assertThat(cluster.client().inflightCalls()).isZero();
  }

  /** Ids are 64 bits and may wrap (FAULTS F156); so may the clock, see {@link VirtualLoop}. */
  @Test
  void idsMayWrap() throws Exception {
    RemoteKvClient client =
        RemoteKvClient.connect(
            cluster.config().build(), cluster.loop, cluster.network, Long.MAX_VALUE - 5);
    for (int i = 0; i < 100; i++) {
      CompletableFuture<?> put = client.put(FakeCluster.KEY, Bytes.utf8("v" + i));
      cluster.await(put);
      put.get(0, TimeUnit.SECONDS);
    }
    RemoteKvClient negative =
        RemoteKvClient.connect(cluster.config().build(), cluster.loop, cluster.network, -5);
    for (int i = 100; i < 200; i++) {
      cluster.await(negative.put(FakeCluster.KEY, Bytes.utf8("v" + i)));
    }
    assertThat(cluster.store.puts).hasSize(200).allSatisfy((v, times) -> assertThat(times).isOne());
  }
}
