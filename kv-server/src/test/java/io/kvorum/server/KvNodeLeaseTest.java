package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.CompactOptions;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeptLease;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseStatus;
import io.kvorum.api.PutOptions;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leases and compaction through an embedded node, on a real disk and by a real clock. */
class KvNodeLeaseTest {
  private static final long MOST_SECONDS = 9_000_000_000L;

  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final Bytes C = Bytes.utf8("c");

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory;

  private KvNode start() {
    return KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build());
  }

  private static PutOptions on(long lease) {
    return PutOptions.DEFAULT.withLease(lease);
  }

  @Test
  void aRevokedLeaseTakesItsKeysInOneRevision() {
    try (KvNode node = start()) {
      BlockingKvClient kv = node.blocking();
      LeaseGrant grant = kv.leases().grant(Duration.ofMillis(10));
      assertThat(grant.ttl()).isEqualTo(Duration.ofSeconds(2));
      assertThat(grant.id()).isPositive();
      assertThat(grant.header().revision()).isEqualTo(1);
      kv.put(B, A, on(grant.id()));
      kv.put(A, A, on(grant.id()));
      kv.put(C, A, on(grant.id()));
      kv.put(C, A);
      assertThat(kv.leases().status(grant.id(), true).keys()).containsExactly(A, B);
      var revoked = kv.leases().revoke(grant.id());
      assertThat(revoked.deleted()).isEqualTo(2);
      assertThat(revoked.header().revision()).isEqualTo(6);
      assertThat(kv.get(A).value()).isEmpty();
      assertThat(kv.get(C).value()).contains(A);
      rejected(() -> kv.leases().revoke(grant.id()), Reason.LEASE_NOT_FOUND);
      rejected(() -> kv.put(A, A, on(grant.id())), Reason.LEASE_NOT_FOUND);
      assertThat(kv.leases().renew(grant.id()).isAlive()).isFalse();
      assertThat(kv.leases().status(grant.id()).exists()).isFalse();
    }
  }

  @Test
  void idsAreKeptAndClashesRefused() {
    try (KvNode node = start()) {
      BlockingKvClient kv = node.blocking();
      Duration ttl = Duration.ofSeconds(100);
      assertThat(kv.leases().grant(ttl, -5).id()).isEqualTo(-5);
      rejected(() -> kv.leases().grant(ttl, -5), Reason.LEASE_EXISTS);
      rejected(
          () -> kv.leases().grant(Duration.ofSeconds(MOST_SECONDS + 1)),
          Reason.LEASE_TTL_TOO_LARGE);
      assertThat(kv.leases().grant(Duration.ofSeconds(MOST_SECONDS), 7).id()).isEqualTo(7);
      assertThat(kv.leases().list().ids()).containsExactly(-5L, 7L);
      LeaseStatus status = kv.leases().status(-5);
      assertThat(status.ttl()).isEqualTo(ttl);
      assertThat(status.remaining()).isBetween(Duration.ofSeconds(90), ttl);
    }
  }

  @Test
  void aLeaseThatNobodyRenewsEndsInTimeAndOneThatIsKeptDoesNot() {
    try (KvNode node = start()) {
      BlockingKvClient kv = node.blocking();
      kv.leases().grant(Duration.ofSeconds(2), 1);
      kv.leases().grant(Duration.ofSeconds(2), 2);
      CompletableFuture<String> lost = new CompletableFuture<>();
      try (KeptLease kept = node.leases().keepAlive(2, (id, why) -> lost.complete(why))) {
        kv.put(A, A, on(1));
        kv.put(B, B, on(2));
        long begun = System.nanoTime();
        Await.until("the key of the lease is gone", SOON, () -> kv.get(A).value().isEmpty());
        assertThat(System.nanoTime() - begun).isGreaterThan(1_500_000_000L);
        Await.until("the lease is gone", SOON, () -> kv.leases().list().ids().equals(List.of(2L)));
        assertThat(kept.isAlive()).isTrue();
        assertThat(kv.get(B).value()).contains(B);
        kv.leases().revoke(2);
        assertThat(lost).succeedsWithin(5, TimeUnit.SECONDS);
        assertThat(kept.isAlive()).isFalse();
      }
    }
  }

  @Test
  void leasesSurviveARestartAndTheirTimeBeginsAnew() {
    try (KvNode node = start()) {
      node.blocking().leases().grant(Duration.ofSeconds(3), 1);
      node.blocking().put(A, A, on(1));
      node.blocking().put(B, A, on(1));
      node.blocking().delete(B);
    }
    try (KvNode node = start()) {
      BlockingKvClient kv = node.blocking();
      assertThat(kv.leases().status(1, true).keys()).containsExactly(A);
      Await.until("the key of the lease is gone", SOON, () -> kv.get(A).value().isEmpty());
    }
  }

  @Test
  void whatIsCompactedCannotBeReadAndTheRestCan() {
    try (KvNode node = start()) {
      BlockingKvClient kv = node.blocking();
      for (int i = 0; i < 3000; i++) {
        var unused = node.put(A, Bytes.utf8("" + i));
      }
      long last = kv.put(B, B).header().revision();
      assertThat(last).isEqualTo(3002);
      kv.compact(2000, CompactOptions.DEFAULT.withPhysical());
      rejected(() -> kv.get(A, GetOptions.DEFAULT.withRevision(1999)), Reason.REVISION_COMPACTED);
      assertThat(kv.get(A, GetOptions.DEFAULT.withRevision(2000)).value())
          .contains(Bytes.utf8("1998"));
      assertThat(kv.get(A).value()).contains(Bytes.utf8("2999"));
      rejected(() -> kv.compact(2000), Reason.REVISION_COMPACTED);
      rejected(() -> kv.compact(last + 1), Reason.REVISION_IN_FUTURE);
      rejected(() -> kv.compact(0), Reason.INVALID_ARGUMENT);
      assertThat(kv.compact(last).header().revision()).isEqualTo(last);
    }
    try (KvNode node = start()) {
      BlockingKvClient kv = node.blocking();
      rejected(() -> kv.get(A, GetOptions.DEFAULT.withRevision(3001)), Reason.REVISION_COMPACTED);
      assertThat(kv.put(A, A).header().revision()).isEqualTo(3003);
    }
  }

  @Test
  void historyIsGivenUpByItselfWhenThereIsMoreThanIsToBeKept() {
    Retention few = Retention.EVERYTHING.withRevisions(20);
    try (KvNode node =
        KvNode.start(ServerConfig.embedded(directory.resolve("n1")).retention(few).build())) {
      for (int i = 0; i < 50; i++) {
        node.blocking().put(A, A);
      }
      Await.until(
          "something was compacted", SOON, () -> node.status().join().compactRevision() >= 29);
      assertThat(node.status().join().compactRevision()).isLessThanOrEqualTo(31);
      assertThat(node.blocking().get(A, GetOptions.DEFAULT.withRevision(31)).value()).contains(A);
    }
  }

  private static void rejected(Runnable call, Reason reason) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            KvException.Rejected.class, why -> assertThat(why.reason()).isEqualTo(reason));
  }
}
