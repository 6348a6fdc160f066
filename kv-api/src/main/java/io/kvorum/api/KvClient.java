package io.kvorum.api;

import java.util.concurrent.CompletableFuture;

/**
 * Access to a Kvorum cluster: remote, or through a node embedded in this process.
 *
 * <p>Every operation is linearizable unless its options say otherwise: it takes effect at one
 * instant between call and completion. A write completes when a majority holds it on disk. Futures
 * fail with a {@link KvException}; arguments that no cluster would accept are refused the same way,
 * with {@link KvException.Rejected}. Cancelling a future does not undo the operation.
 *
 * <p>Thread-safe. Futures complete on threads of the client's executor for callbacks, never on a
 * thread that serves connections or the log, so a slow callback delays only other callbacks.
 */
public interface KvClient extends AutoCloseable {
  /** Puts with {@link PutOptions#DEFAULT}. */
  default CompletableFuture<PutResult> put(Bytes key, Bytes value) {
    return put(key, value, PutOptions.DEFAULT);
  }

  /** Sets the value of a key; creates the key if it does not exist. */
  CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options);

  /** Gets with {@link GetOptions#DEFAULT}. */
  default CompletableFuture<GetResult> get(Bytes key) {
    return get(key, GetOptions.DEFAULT);
  }

  /** Reads one key. */
  CompletableFuture<GetResult> get(Bytes key, GetOptions options);

  /** Deletes one key with {@link DeleteOptions#DEFAULT}. */
  default CompletableFuture<DeleteResult> delete(Bytes key) {
    return delete(key, DeleteOptions.DEFAULT);
  }

  /** Deletes one key; deleting one that does not exist changes nothing and succeeds. */
  CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options);

  /** Deletes a range with {@link DeleteOptions#DEFAULT}. */
  default CompletableFuture<DeleteResult> deleteRange(KeyRange range) {
    return deleteRange(range, DeleteOptions.DEFAULT);
  }

  /** Deletes all keys of a range, in one revision. */
  CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options);

  /** Reads a range with {@link RangeOptions#DEFAULT}. */
  default CompletableFuture<RangeResult> range(KeyRange range) {
    return range(range, RangeOptions.DEFAULT);
  }

  /** Reads the keys of a range, in one revision. */
  CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options);

  /** Executes with {@link TxnOptions#DEFAULT}. */
  default CompletableFuture<TxnResult> txn(Txn txn) {
    return txn(txn, TxnOptions.DEFAULT);
  }

  /** Executes a transaction: at one instant, all of it or nothing. */
  CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options);

  /** Creates with {@link PutOptions#DEFAULT}. */
  default CompletableFuture<CasResult> create(Bytes key, Bytes value) {
    return create(key, value, PutOptions.DEFAULT);
  }

  /** Puts if the key does not exist; a transaction. */
  default CompletableFuture<CasResult> create(Bytes key, Bytes value, PutOptions options) {
    return compareAndSet(key, 0, value, options);
  }

  /** Compares and sets with {@link PutOptions#DEFAULT}. */
  default CompletableFuture<CasResult> compareAndSet(Bytes key, long modRevision, Bytes value) {
    return compareAndSet(key, modRevision, value, PutOptions.DEFAULT);
  }

  /**
   * Puts if nobody else has since; a transaction.
   *
   * @param modRevision of the key, as the caller knows it; 0: the key does not exist
   */
  default CompletableFuture<CasResult> compareAndSet(
      Bytes key, long modRevision, Bytes value, PutOptions options) {
    return CasResult.of(this, key, modRevision, Op.put(key, value, options));
  }

  /** Reads a long range with {@link RangeOptions#DEFAULT}, in pages of as much as answers hold. */
  default RangeCursor pages(KeyRange range) {
    return pages(range, RangeOptions.DEFAULT);
  }

  /**
   * Reads a long range page by page, all of it as of one revision; asks for nothing yet.
   *
   * @param options the limit is that of a page; in order of key, and not of the count alone
   * @throws IllegalArgumentException if they ask for something else
   */
  default RangeCursor pages(KeyRange range, RangeOptions options) {
    return new RangeCursor(this, range, options);
  }

  /** Leases, and the keys that end with them. */
  Leases leases();

  /** Compacts with {@link CompactOptions#DEFAULT}. */
  default CompletableFuture<CompactResult> compact(long revision) {
    return compact(revision, CompactOptions.DEFAULT);
  }

  /**
   * Gives up history: from now on nothing can be read as of a revision before this one. What keys
   * hold now, and at that revision, stays. Rejected with {@link
   * KvException.Reason#REVISION_COMPACTED} if that is so already, and with {@link
   * KvException.Reason#REVISION_IN_FUTURE} above the newest revision.
   */
  CompletableFuture<CompactResult> compact(long revision, CompactOptions options);

  /** Watches a key with {@link WatchOptions#DEFAULT}. */
  default Watch watch(Bytes key, WatchListener listener) {
    return watch(KeyRange.single(key), WatchOptions.DEFAULT, listener);
  }

  /** Watches a range with {@link WatchOptions#DEFAULT}. */
  default Watch watch(KeyRange range, WatchListener listener) {
    return watch(range, WatchOptions.DEFAULT, listener);
  }

  /**
   * Watches a range: delivers every change of its keys once, in order, whole revisions at a time.
   * The watch survives disconnections, changes of leader and restarts, on whichever member answers;
   * it ends only as {@link WatchEnd} says, and never with a gap that it does not tell of.
   *
   * <p>Does not wait and does not fail: what is wrong, {@link WatchListener#ended} tells.
   */
  Watch watch(KeyRange range, WatchOptions options, WatchListener listener);

  /** Watches with a snapshot, with {@link WatchOptions#DEFAULT}. */
  default Watch watchWithSnapshot(KeyRange range, SnapshotListener listener) {
    return watchWithSnapshot(range, WatchOptions.DEFAULT, listener);
  }

  /**
   * Reads a range, then watches it from behind what was read; and reads it anew when compaction has
   * overtaken the watch.
   *
   * @param options its fromRevision is 0
   * @throws IllegalArgumentException if it is not
   */
  Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener);

  /**
   * Whether the calling thread may wait for futures of this client: not if it is the one that
   * completes them, in a callback of an earlier one, since it would wait for itself.
   */
  default boolean mayWait() {
    return true;
  }

  /**
   * The same client, each call waiting for its result. In a callback of a future go on with {@link
   * CompletableFuture#thenCompose} instead: see {@link #mayWait}.
   */
  default BlockingKvClient blocking() {
    return new BlockingKvClient(this);
  }

  /**
   * Gives back threads and connections. Operations under way fail: with {@link
   * KvException.Unavailable} if they were not sent, else with {@link KvException.OutcomeUnknown}.
   * Watches end with {@link WatchEnd.ClientClosed}; listeners of leases that are kept alive hear
   * that these are lost. Closing twice is allowed.
   */
  @Override
  void close();
}
