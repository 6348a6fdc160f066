package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.api.CompactOptions;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.IdempotencyKey;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Leases;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.RevisionFilter;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of which every call is written down, for the checkers, from its beginning to its end.
 * Reads that promise less, or of which only a part comes back, are not judged.
 */
final class WatchedClient implements KvClient {
  /** Of one client; below the first are the callers of the recovery. */
  private static final int CALLERS_MAX = 1_000_000;

  private final World world;
  private final SimClient client;

  /**
   * What one caller sees never goes back; so a call takes the lowest caller that waits for none.
   */
  private final BitSet calling = new BitSet();

  private boolean over;

  WatchedClient(World world, SimClient client) {
    this.world = world;
    this.client = client;
  }

  /** From now on its process is gone: whatever is asked is neither sent nor answered. */
  void end() {
    over = true;
  }

  @Override
  public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    long bytes = (long) key.size() + value.size();
    if (bytes > DrivenWorld.ENTRY_BYTES_MAX) {
      return tooLarge(bytes);
    }
    return call(
        judged(new ClientOperation.Put(key, value), options.idempotencyKey()),
        () -> client.client().put(key, value, options),
        result -> new ClientOutcome.Done(result.header().revision(), 0, List.of()));
  }

  private static <T> CompletableFuture<T> tooLarge(long bytes) {
    String why = "a simulated cluster takes keys and values of up to ";
    return CompletableFuture.failedFuture(
        new KvException.Rejected(
            KvException.Reason.TOO_LARGE,
            why + DrivenWorld.ENTRY_BYTES_MAX + " bytes together, not " + bytes));
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    boolean judged = isNow(options.revision(), options.consistency());
    return call(
        judged ? new ClientOperation.Get(key) : null,
        () -> client.client().get(key, options),
        result ->
            new ClientOutcome.Done(
                result.header().revision(), 0, result.keyValue().stream().toList()));
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    return call(
        judged(new ClientOperation.Delete(key), options.idempotencyKey()),
        () -> client.client().delete(key, options),
        WatchedClient::deleted);
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    return call(
        judged(new ClientOperation.DeleteRange(range), options.idempotencyKey()),
        () -> client.client().deleteRange(range, options),
        WatchedClient::deleted);
  }

  private static ClientOutcome deleted(DeleteResult result) {
    return new ClientOutcome.Done(result.header().revision(), result.deleted(), List.of());
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    boolean judged =
        isNow(options.revision(), options.consistency())
            && options.content().values()
            && options.order().by() == RangeOptions.SortBy.KEY
            && options.filter().equals(RevisionFilter.NONE);
    return call(
        judged ? new ClientOperation.Range(range) : null,
        () -> client.client().range(range, options),
        result ->
            result.more()
                ? new ClientOutcome.Unknown("only a part of the range came back")
                : new ClientOutcome.Done(result.header().revision(), 0, result.keyValues()));
  }

  @Override
  public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    boolean isFollowed = ClientOperation.canBeFollowed(txn);
    if (!isFollowed && !txn.onlyReads()) {
      return CompletableFuture.failedFuture(
          new KvException.Rejected(
              KvException.Reason.UNSUPPORTED,
              "a simulated cluster follows transactions on single keys only: comparisons of value,"
                  + " version and revisions, put, delete and get; nothing was changed"));
    }
    long bytes = putBytes(txn.success()) + putBytes(txn.failure());
    if (bytes > DrivenWorld.ENTRY_BYTES_MAX) {
      return tooLarge(bytes);
    }
    boolean judged = isFollowed && options.consistency() instanceof ReadConsistency.Linearizable;
    return call(
        judged ? judged(new ClientOperation.Transaction(txn), options.idempotencyKey()) : null,
        () -> client.client().txn(txn, options),
        ClientOutcome.Done::of);
  }

  private static long putBytes(List<Op> branch) {
    return branch.stream()
        .filter(Op.Put.class::isInstance)
        .mapToLong(op -> ((Op.Put) op).key().size() + (long) ((Op.Put) op).value().size())
        .sum();
  }

  /** Not judged, nor is anything else from now on: keys may end with their leases at any time. */
  @Override
  public Leases leases() {
    tellThatNothingIsJudged();
    return client.client().leases();
  }

  private void tellThatNothingIsJudged() {
    Journal journal = world.journal();
    long now = journal.now();
    journal.tell(new SimEvent.LeaseTold(now, SimEvent.LeaseNews.USED_BY_A_TEST, 0, 0, 0));
  }

  /** Whoever gives a write a key may be answered with what happened long before the call. */
  private @Nullable ClientOperation judged(
      ClientOperation write, Optional<IdempotencyKey> idempotencyKey) {
    if (idempotencyKey.isEmpty()) {
      return write;
    }
    tellThatNothingIsJudged();
    return null;
  }

  /** Not judged here. */
  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    return call(
        null,
        () -> client.client().compact(revision, options),
        result -> new ClientOutcome.Unknown(""));
  }

  private static boolean isNow(long revision, ReadConsistency consistency) {
    return revision == 0 && consistency instanceof ReadConsistency.Linearizable;
  }

  /**
   * Makes the call.
   *
   * @param judged what the checkers are told of it; null: nothing
   */
  private <T> CompletableFuture<T> call(
      @Nullable ClientOperation judged,
      Supplier<CompletableFuture<T>> start,
      Function<T, ClientOutcome> outcome) {
    if (over) {
      return new CompletableFuture<>();
    }
    CompletableFuture<T> future = start.get();
    int slot = calling.nextClearBit(0);
    calling.set(slot);
    int caller = (1 + client.number()) * CALLERS_MAX + slot;
    Workload workload = world.workload();
    Journal journal = world.journal();
    long operation = workload.callBegins();
    if (judged != null) {
      journal.tell(new SimEvent.Called(journal.now(), caller, operation, judged));
    }
    // A future of its own, not a derived one: its failure is the cause itself, as the client's is.
    CompletableFuture<T> watched = new CompletableFuture<>();
    var unused =
        future.whenComplete(
            (result, failure) -> {
              calling.clear(slot);
              workload.callEnds();
              ClientOutcome ended =
                  failure == null
                      ? outcome.apply(result)
                      : workload.outcome(judged == null ? "a read" : judged, failure);
              if (judged != null) {
                journal.tell(new SimEvent.Returned(journal.now(), caller, operation, ended));
              }
              if (failure == null) {
                watched.complete(result);
              } else {
                watched.completeExceptionally(failure);
              }
            });
    return watched;
  }

  @Override
  public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
    return client.client().watch(range, options, listener);
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener) {
    return client.client().watchWithSnapshot(range, options, listener);
  }

  @Override
  public void close() {
    client.client().close();
  }
}
