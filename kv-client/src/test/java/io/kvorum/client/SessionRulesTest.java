package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.PutOptions;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.Numbered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client with a session sends again, and what it may conclude (FAULTS F102, F107, F110). */
class SessionRulesTest {
  private final FakeCluster cluster = new FakeCluster();

  SessionRulesTest() {
    var unused = cluster.client(cluster.config().sessionTtl(Duration.ofSeconds(60)));
  }

  private static Error error(Error.Kind kind, Error.Reason reason) {
    return Error.newBuilder().setKind(kind).setReason(reason).setMessage("no").build();
  }

  private List<ClientFrame> sentPuts() {
    List<ClientFrame> puts = new ArrayList<>();
    cluster.nodes.forEach(
        node -> node.received.stream().filter(ClientFrame::hasPut).forEach(puts::add));
    return puts;
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, NOT_LEADER",
    "UNAVAILABLE, OVERLOADED",
    "UNAVAILABLE, SHUTTING_DOWN",
    "OUTCOME_UNKNOWN, LEADERSHIP_LOST",
    "OUTCOME_UNKNOWN, TIMED_OUT",
    "KIND_UNSPECIFIED, REASON_UNSPECIFIED",
  })
  void whateverIsNotDecidedIsSentAgainUnderItsNumber(Error.Kind kind, Error.Reason reason) {
    cluster.await(cluster.put("first"));
    cluster.n1.refusals.add(error(kind, reason));
    cluster.await(cluster.put("w"));
    assertThat(cluster.executions("w")).isEqualTo(1);
    List<ClientFrame> puts = sentPuts();
    assertThat(puts).hasSize(3);
    assertThat(puts.get(0).getNumbered().getSequence()).isEqualTo(1);
    Numbered first = puts.get(1).getNumbered();
    assertThat(first.getFirst()).as("what comes again may have been executed").isTrue();
    assertThat(puts.get(2).getNumbered()).isEqualTo(first.toBuilder().clearFirst().build());
    assertThat(puts.get(1).getNumbered().getSequence()).isEqualTo(2);
    assertThat(puts.get(1).getNumbered().getAcknowledgedBelow()).isEqualTo(2);
  }

  @Test
  void aRejectionIsTold() {
    cluster.await(cluster.put("first"));
    cluster.n1.refusals.add(error(Error.Kind.REJECTED, Error.Reason.TOO_LARGE));
    assertThat(cluster.failure(cluster.put("w"))).isInstanceOf(KvException.Rejected.class);
  }

  /** FAULTS F102. */
  @Test
  void aWriteWhoseAnswerIsLostIsSentAgainAndTakesEffectOnce() {
    cluster.await(cluster.put("first"));
    cluster.n1.swallowsAnswers = true;
    CompletableFuture<?> put = cluster.put("a");
    cluster.runMillis(20);
    assertThat(cluster.executions("a")).isEqualTo(1);
    cluster.n1.swallowsAnswers = false;
    cluster.n1.cutConnections();
    cluster.await(put);
    assertThat(cluster.executions("a")).isEqualTo(1);
    assertThat(sentPuts()).hasSize(3);
  }

  /** FAULTS F102, F107: through as many leaders as it takes. */
  @Test
  void aWriteIsSentAgainThroughAnyNumberOfLeaders() {
    cluster.await(cluster.put("first"));
    cluster.nodes.forEach(node -> node.swallowsAnswers = true);
    CompletableFuture<?> put = cluster.put("a");
    for (int i = 1; i <= 3; i++) {
      FakeNode old = cluster.n1.leader;
      cluster.runMillis(500);
      cluster.lead(cluster.nodes.get(i % 3));
      old.cutConnections();
    }
    cluster.runMillis(500);
    cluster.nodes.forEach(node -> node.swallowsAnswers = false);
    cluster.nodes.forEach(FakeNode::cutConnections);
    cluster.await(put);
    assertThat(cluster.executions("a")).isEqualTo(1);
    assertThat(sentPuts().size()).isGreaterThan(4);
  }

  @Test
  void aWriteThatIsNotDecidedInTimeIsUnknown() {
    cluster.await(cluster.put("first"));
    cluster.n1.swallowsAnswers = true;
    CompletableFuture<?> put = cluster.put("a");
    cluster.runMillis(20);
    cluster.nodes.forEach(FakeNode::kill);
    assertThat(cluster.failure(put))
        .isInstanceOf(KvException.OutcomeUnknown.class)
        .hasMessageContaining("it was sent");
    assertThat(cluster.failure(cluster.put("b")))
        .as("never sent")
        .isExactlyInstanceOf(KvException.Unavailable.class);
  }

  /** FAULTS F110. */
  @Test
  void whatIsSentAgainStaysBeforeWhatCameLater() {
    cluster.await(cluster.put("0"));
    cluster.n1.swallowsAnswers = true;
    List<CompletableFuture<?>> puts = new ArrayList<>();
    for (int i = 1; i <= 10; i++) {
      puts.add(cluster.put("" + i));
    }
    cluster.runMillis(20);
    // These wait while nobody leads.
    cluster.lead(null);
    cluster.n1.swallowsAnswers = false;
    cluster.n1.cutConnections();
    cluster.store.order.clear();
    cluster.store.sessions.values().forEach(session -> session.answers.clear());
    for (int i = 11; i <= 20; i++) {
      puts.add(cluster.put("" + i));
    }
    cluster.runMillis(100);
    cluster.lead(cluster.n2);
    puts.forEach(cluster::await);
    List<Bytes> expected = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      expected.add(Bytes.utf8("" + i));
    }
    assertThat(cluster.store.order).as("as if the first had never come").isEqualTo(expected);
  }

  /** FAULTS F110: the old leader may still have taken what it does not say. */
  @Test
  void nothingGoesToANewLeaderBeforeTheOldOneHasDecided() {
    cluster.await(cluster.put("first"));
    cluster.n1.swallowsAnswers = true;
    CompletableFuture<?> undecided = cluster.put("a");
    cluster.runMillis(20);
    cluster.n1.swallowsAnswers = false;
    cluster.lead(cluster.n2);
    CompletableFuture<?> refused = cluster.put("b");
    cluster.runMillis(500);
    assertThat(cluster.n2.received.stream().filter(ClientFrame::hasPut)).isEmpty();
    cluster.n1.cutConnections();
    cluster.await(undecided);
    cluster.await(refused);
    assertThat(cluster.n2.received.stream().filter(ClientFrame::hasPut)).hasSize(2);
    assertThat(cluster.executions("a")).isEqualTo(1);
  }

  @Test
  void aCallThatIsNeverDecidedHoldsUpNobodyBeyondItsTime() {
    cluster.await(cluster.put("first"));
    cluster.n1.swallowsAnswers = true;
    CompletableFuture<?> undecided = cluster.put("a");
    cluster.runMillis(3_000);
    cluster.n1.swallowsAnswers = false;
    cluster.lead(cluster.n2);
    CompletableFuture<?> behind = cluster.put("b");
    cluster.runMillis(1_900);
    assertThat(behind).isNotDone();
    cluster.runMillis(200);
    assertThat(cluster.failure(undecided)).isInstanceOf(KvException.OutcomeUnknown.class);
    assertThat(behind).isCompleted();
  }

  @Test
  void whatWasNeverSentBeforeBeginsAnewWhenTheSessionIsOver() {
    cluster.await(cluster.put("first"));
    cluster.store.sessions.clear();
    List<CompletableFuture<?>> puts = List.of(cluster.put("a"), cluster.put("b"), cluster.put("c"));
    puts.forEach(cluster::await);
    assertThat(cluster.store.order.stream().map(Bytes::toUtf8))
        .containsExactly("first", "a", "b", "c");
    assertThat(cluster.store.sessions).containsOnlyKeys(2L);
  }

  @Test
  void whatWasSentBeforeIsUnknownWhenTheSessionIsOver() {
    cluster.await(cluster.put("first"));
    cluster.n1.swallowsAnswers = true;
    CompletableFuture<?> put = cluster.put("a");
    cluster.runMillis(20);
    cluster.store.sessions.clear();
    cluster.n1.swallowsAnswers = false;
    cluster.n1.cutConnections();
    assertThat(cluster.failure(put))
        .isInstanceOf(KvException.OutcomeUnknown.class)
        .hasMessageContaining("its session has ended")
        .hasMessageContaining("no session 1");
    assertThat(cluster.executions("a")).isEqualTo(1);
    cluster.await(cluster.put("b"));
  }

  @Test
  void aSessionIsOpenedByTheFirstWriteAndKeptWhileItIsUsed() {
    cluster.await(cluster.client().get(FakeCluster.KEY));
    assertThat(cluster.store.sessions).isEmpty();
    for (int i = 0; i < 5; i++) {
      cluster.await(cluster.put("" + i));
      cluster.runMillis(50_000);
    }
    assertThat(cluster.store.sessions).containsOnlyKeys(1L);
    assertThat(cluster.n1.received.stream().filter(ClientFrame::hasLeaseRenew))
        .hasSizeBetween(10, 15);
    cluster.runMillis(100_000);
    assertThat(cluster.store.sessions).as("nobody writes any more").isEmpty();
    long requests = cluster.n1.requests();
    cluster.runMillis(1_000_000);
    assertThat(cluster.n1.requests()).as("nobody disturbs a quiet cluster").isEqualTo(requests);
    cluster.await(cluster.put("again"));
    assertThat(cluster.store.sessions).containsOnlyKeys(2L);
  }

  @Test
  void aClosedClientEndsItsSession() {
    cluster.await(cluster.put("first"));
    cluster.client().close();
    assertThat(cluster.network.lastSent.getLeaseRevoke().getId()).isEqualTo(1);
  }

  /** FAULTS F111. */
  @Test
  void everyCallEndsWhenTheClientIsClosedWhileItsSessionBegins() {
    cluster.n1.stopped = true;
    CompletableFuture<?> first = cluster.put("a");
    cluster.runMillis(10);
    CompletableFuture<?> second = cluster.put("b");
    cluster.client().close();
    assertThat(cluster.failure(first)).isExactlyInstanceOf(KvException.ClientClosed.class);
    assertThat(cluster.failure(second)).isExactlyInstanceOf(KvException.ClientClosed.class);
    assertThat(cluster.client().inflightCalls()).isZero();
  }

  /** FAULTS F111: a session that cannot be opened is tried again, and holds up nobody for ever. */
  @Test
  void aSessionThatCannotBeOpenedIsTriedAgain() {
    cluster.await(cluster.client().get(FakeCluster.KEY));
    cluster.n1.refusals.add(error(Error.Kind.REJECTED, Error.Reason.INVALID_ARGUMENT));
    cluster.await(cluster.put("a"));
    cluster.nodes.forEach(FakeNode::kill);
    assertThat(cluster.failure(cluster.put("b"))).isInstanceOf(KvException.class);
    cluster.nodes.forEach(node -> node.reach = FakeNode.Reach.UP);
    cluster.await(cluster.put("c"));
  }

  /** It is no command of the store. */
  @Test
  void aTransferOfTheLeadershipIsNotSentAgain() {
    cluster.await(cluster.put("first"));
    cluster.n1.refusals.add(error(Error.Kind.OUTCOME_UNKNOWN, Error.Reason.LEADERSHIP_LOST));
    assertThat(cluster.failure(cluster.client().transferLeadership("n2", AdminOptions.DEFAULT)))
        .isInstanceOf(KvException.OutcomeUnknown.class);
  }

  @Test
  void anIdempotencyKeyGoesWithTheRequest() {
    PutOptions once =
        PutOptions.DEFAULT.withIdempotencyKey(Bytes.utf8("order-1"), Duration.ofHours(1));
    cluster.await(cluster.client().put(FakeCluster.KEY, Bytes.utf8("v"), once));
    ClientFrame sent = sentPuts().get(0);
    assertThat(sent.getIdempotency().getKey().toStringUtf8()).isEqualTo("order-1");
    assertThat(sent.getIdempotency().getTtlMillis()).isEqualTo(3_600_000);
    assertThat(sent.hasNumbered()).isTrue();
  }
}
