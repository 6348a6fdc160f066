package io.kvorum.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KvExceptionTest {
  /** Callers dispatch on these; one more would pass every one of them by. */
  @Test
  void theHierarchyIsSealed() {
    assertThat(KvException.class.getPermittedSubclasses())
        .containsExactlyInAnyOrder(
            KvException.Unavailable.class,
            KvException.OutcomeUnknown.class,
            KvException.Rejected.class);
    assertThat(KvException.Unavailable.class.getPermittedSubclasses())
        .containsExactly(
            KvException.Overloaded.class,
            KvException.NoSpace.class,
            KvException.ClientClosed.class);
    assertThat(KvException.Rejected.class.getPermittedSubclasses())
        .containsExactly(KvException.Compacted.class);
  }

  @Test
  void overloadedSaysWhen() {
    assertThat(new KvException.Overloaded("busy", Duration.ofMillis(250)).retryAfter())
        .isEqualTo(Duration.ofMillis(250));
  }

  @Test
  void blockingCallsThrowWhatTheFutureFailedWith() {
    KvException.Rejected rejected =
        new KvException.Rejected(KvException.Reason.TOO_LARGE, "too large");
    assertThatThrownBy(() -> new FailingClient(rejected).blocking().get(Bytes.utf8("k")))
        .isSameAs(rejected);
    IllegalStateException bug = new IllegalStateException("a bug");
    assertThatThrownBy(() -> new FailingClient(bug).blocking().get(Bytes.utf8("k")))
        .isInstanceOf(IllegalStateException.class)
        .hasCause(bug);
  }

  @Test
  void anInterruptedWaitLeavesTheOutcomeUnknown() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> new FailingClient(null).blocking().get(Bytes.utf8("k")))
        .isInstanceOf(KvException.OutcomeUnknown.class);
    assertThat(Thread.interrupted()).as("the status is kept").isTrue();
  }

  /** Fails every call in the same way, or never answers. */
  private record FailingClient(RuntimeException failure) implements KvClient {
    private <T> CompletableFuture<T> fail() {
      return failure == null ? new CompletableFuture<>() : CompletableFuture.failedFuture(failure);
    }

    @Override
    public Leases leases() {
      throw new UnsupportedOperationException("no leases here");
    }

    @Override
    public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
      return fail();
    }

    @Override
    public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
      return fail();
    }

    @Override
    public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
      return fail();
    }

    @Override
    public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
      return fail();
    }

    @Override
    public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
      return fail();
    }

    @Override
    public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
      return fail();
    }

    @Override
    public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
      return fail();
    }

    @Override
    public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
      throw new UnsupportedOperationException("nothing to watch");
    }

    @Override
    public Watch watchWithSnapshot(
        KeyRange range, WatchOptions options, SnapshotListener listener) {
      throw new UnsupportedOperationException("nothing to watch");
    }

    @Override
    public void close() {}
  }
}
