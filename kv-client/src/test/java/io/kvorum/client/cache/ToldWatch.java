package io.kvorum.client.cache;

import io.kvorum.api.Bytes;
import io.kvorum.api.CompactOptions;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.Leases;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A client with one watch, which tells what the test tells it; it can do nothing else. */
final class ToldWatch implements KvClient, Watch {
  private @Nullable SnapshotListener listener;
  private boolean closed;

  SnapshotListener listener() {
    return listener;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener told) {
    listener = told;
    return this;
  }

  @Override
  public CompletableFuture<Long> started() {
    return new CompletableFuture<>();
  }

  @Override
  public CompletableFuture<WatchEnd> ended() {
    return new CompletableFuture<>();
  }

  @Override
  public void requestProgress() {
    // The test tells when it likes.
  }

  @Override
  public void close() {
    closed = true;
  }

  private static AssertionError unasked() {
    return new AssertionError("a view watches only");
  }

  @Override
  public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    throw unasked();
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    throw unasked();
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    throw unasked();
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    throw unasked();
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    throw unasked();
  }

  @Override
  public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    throw unasked();
  }

  @Override
  public Leases leases() {
    throw unasked();
  }

  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    throw unasked();
  }

  @Override
  public Watch watch(KeyRange range, WatchOptions options, WatchListener told) {
    throw unasked();
  }
}
