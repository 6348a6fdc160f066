package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.SpaceUse;
import io.kvorum.api.Txn;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is full, as its users see it (FAULTS F166). */
class KvNodeQuotaTest {
  private static final Bytes KEY = Bytes.utf8("k");
  private static final Bytes LARGE = Bytes.wrapUnsafe(new byte[10_000]);

  @TempDir Path directory;

  private static void isFull(ThrowingCallable write) {
    assertThatThrownBy(write)
        .isInstanceOfSatisfying(
            KvException.Rejected.class,
            why -> assertThat(why.reason()).isEqualTo(Reason.SPACE_EXCEEDED))
        .hasMessageContaining("the store is full")
        .hasMessageContainingAll(
            "nothing was changed", "delete keys", "compact", "raise the quota");
  }

  private static NodeStatus status(KvNode node) {
    return node.status().join();
  }

  @Test
  void theWayOutOfAFullStore() {
    ServerConfig config = ServerConfig.embedded(directory.resolve("n1")).build();
    try (KvNode node = KvNode.start(config)) {
      LeaseGrant lease = node.leases().grant(Duration.ofMinutes(5)).join();
      node.blocking().put(KEY, LARGE);
      node.blocking().put(KEY, LARGE);
      long used = node.space().join().usedBytes();
      assertThat(used).isGreaterThan(20_000);
      assertThat(status(node).problem()).isEmpty();
      SpaceUse full = node.setQuota(used).join();
      assertThat(full.full()).isTrue();
      assertThat(full.quotaBytes()).isEqualTo(used);
      assertThat(node.space().join().reclaimableBytes()).isGreaterThan(10_000);
      assertThat(status(node).problem().orElseThrow())
          .contains(
              "the store is full", "compact", "Said until no more than " + (used - used / 20));
      assertThat(status(node).space().full()).isTrue();

      isFull(() -> node.blocking().put(KEY, LARGE));
      isFull(() -> node.blocking().txn(Txn.of(Op.delete(KEY), Op.add(Bytes.utf8("n"), 1))));
      isFull(() -> node.blocking().leases().grant(Duration.ofMinutes(5)));
      assertThat(node.leases().renew(lease.id()).join().isAlive()).isTrue();
      assertThat(node.blocking().get(KEY).value()).contains(LARGE);

      node.blocking().delete(KEY);
      isFull(() -> node.blocking().put(KEY, LARGE));
      node.blocking().compact(node.blocking().get(KEY).header().revision());
      assertThat(node.space().join().full()).isFalse();
      assertThat(status(node).problem()).isEmpty();
      node.blocking().put(KEY, LARGE);
    }
    try (KvNode node = KvNode.start(config)) {
      assertThat(node.space().join().quotaBytes()).isGreaterThan(20_000);
      assertThat(node.setQuota(0).join().quotaBytes()).isZero();
    }
  }

  /** The log of a full store is not filled by what is refused. */
  @Test
  void whatIsRefusedAgainAndAgainDoesNotComeIntoTheLog() {
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build())) {
      node.blocking().put(KEY, LARGE);
      assertThat(node.setQuota(node.space().join().usedBytes()).join().full()).isTrue();
      // It has opened its session by now.
      long last = status(node).log().last();
      for (int i = 0; i < 10; i++) {
        isFull(() -> node.blocking().put(KEY, LARGE));
        isFull(() -> node.blocking().txn(Txn.of(Op.append(KEY, LARGE))));
        isFull(() -> node.blocking().leases().grant(Duration.ofMinutes(5)));
      }
      assertThat(status(node).log().last()).isEqualTo(last);
    }
  }

  /** Early refusals know nothing of what has happened: they leave to the log what may have. */
  @Test
  void whatTookEffectBeforeTheStoreWasFullIsAnsweredAsBefore() {
    PutOptions once = PutOptions.DEFAULT.withIdempotencyKey(KEY, Duration.ofMinutes(5));
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build())) {
      var first = node.blocking().put(KEY, LARGE, once);
      assertThat(node.setQuota(1).join().full()).isTrue();
      assertThat(node.blocking().put(KEY, LARGE, once)).isEqualTo(first);
    }
  }

  @Test
  void aQuotaThatIsNoneIsRefusedBeforeItIsSent() {
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build())) {
      for (long bytes : new long[] {-1, Long.MAX_VALUE}) {
        assertThatThrownBy(() -> node.setQuota(bytes).join())
            .hasCauseInstanceOf(KvException.Rejected.class)
            .hasMessageContaining(Long.toString(bytes));
      }
      assertThat(node.space().join().quotaBytes()).isZero();
    }
  }
}
