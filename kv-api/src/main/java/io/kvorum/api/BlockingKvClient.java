package io.kvorum.api;

import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A {@link KvClient} whose calls wait for their results and throw {@link KvException}.
 *
 * <p>An interrupt while waiting ends the wait with {@link KvException.OutcomeUnknown} and leaves
 * the thread's interrupt status set; the operation goes on.
 *
 * <p>In a callback of one of the client's futures a call throws {@link IllegalStateException}, and
 * nothing is sent: the thread that runs callbacks would wait for itself, for ever.
 */
public final class BlockingKvClient {
  private final KvClient client;

  BlockingKvClient(KvClient client) {
    this.client = client;
  }

  private KvClient client() {
    if (!client.mayWait()) {
      throw new IllegalStateException(
          "a callback of a future must not wait for another one of the same client: this thread"
              + " completes them all. Go on with thenCompose, or give the client an executor of"
              + " several threads (callbackExecutor). Nothing was sent");
    }
    return client;
  }

  /** See {@link KvClient#put(Bytes, Bytes)}. */
  public PutResult put(Bytes key, Bytes value) {
    return await(client().put(key, value));
  }

  /** See {@link KvClient#put(Bytes, Bytes, PutOptions)}. */
  public PutResult put(Bytes key, Bytes value, PutOptions options) {
    return await(client().put(key, value, options));
  }

  /** See {@link KvClient#get(Bytes)}. */
  public GetResult get(Bytes key) {
    return await(client().get(key));
  }

  /** See {@link KvClient#get(Bytes, GetOptions)}. */
  public GetResult get(Bytes key, GetOptions options) {
    return await(client().get(key, options));
  }

  /** See {@link KvClient#delete(Bytes)}. */
  public DeleteResult delete(Bytes key) {
    return await(client().delete(key));
  }

  /** See {@link KvClient#delete(Bytes, DeleteOptions)}. */
  public DeleteResult delete(Bytes key, DeleteOptions options) {
    return await(client().delete(key, options));
  }

  /** See {@link KvClient#deleteRange(KeyRange)}. */
  public DeleteResult deleteRange(KeyRange range) {
    return await(client().deleteRange(range));
  }

  /** See {@link KvClient#deleteRange(KeyRange, DeleteOptions)}. */
  public DeleteResult deleteRange(KeyRange range, DeleteOptions options) {
    return await(client().deleteRange(range, options));
  }

  /** See {@link KvClient#range(KeyRange)}. */
  public RangeResult range(KeyRange range) {
    return await(client().range(range));
  }

  /** See {@link KvClient#range(KeyRange, RangeOptions)}. */
  public RangeResult range(KeyRange range, RangeOptions options) {
    return await(client().range(range, options));
  }

  /** See {@link KvClient#txn(Txn)}. */
  public TxnResult txn(Txn txn) {
    return await(client().txn(txn));
  }

  /** See {@link KvClient#txn(Txn, TxnOptions)}. */
  public TxnResult txn(Txn txn, TxnOptions options) {
    return await(client().txn(txn, options));
  }

  /** See {@link KvClient#create(Bytes, Bytes)}. */
  public CasResult create(Bytes key, Bytes value) {
    return await(client().create(key, value));
  }

  /** See {@link KvClient#create(Bytes, Bytes, PutOptions)}. */
  public CasResult create(Bytes key, Bytes value, PutOptions options) {
    return await(client().create(key, value, options));
  }

  /** See {@link KvClient#compareAndSet(Bytes, long, Bytes)}. */
  public CasResult compareAndSet(Bytes key, long modRevision, Bytes value) {
    return await(client().compareAndSet(key, modRevision, value));
  }

  /** See {@link KvClient#compareAndSet(Bytes, long, Bytes, PutOptions)}. */
  public CasResult compareAndSet(Bytes key, long modRevision, Bytes value, PutOptions options) {
    return await(client().compareAndSet(key, modRevision, value, options));
  }

  /** See {@link KvClient#compact(long)}. */
  public CompactResult compact(long revision) {
    return await(client().compact(revision));
  }

  /** See {@link KvClient#compact(long, CompactOptions)}. */
  public CompactResult compact(long revision, CompactOptions options) {
    return await(client().compact(revision, options));
  }

  /** See {@link KvClient#leases()}. */
  public BlockingLeases leases() {
    return new BlockingLeases(this::client);
  }

  /** See {@link #scan(KeyRange, RangeOptions)}. */
  public Iterator<KeyValue> scan(KeyRange range) {
    return scan(range, RangeOptions.DEFAULT);
  }

  /**
   * The keys of a range, however long, all as of one revision. Holds a page of them at a time, and
   * asks for the next one when that is used up.
   *
   * @return throws what {@link RangeCursor#next} fails with
   * @see KvClient#pages(KeyRange, RangeOptions)
   */
  public Iterator<KeyValue> scan(KeyRange range, RangeOptions options) {
    RangeCursor pages = client.pages(range, options);
    return new Iterator<>() {
      private Iterator<KeyValue> page = Collections.emptyIterator();

      @Override
      public boolean hasNext() {
        while (!page.hasNext() && !pages.isAtEnd()) {
          client();
          page = await(pages.next()).iterator();
        }
        return page.hasNext();
      }

      @Override
      public KeyValue next() {
        if (!hasNext()) {
          throw new NoSuchElementException("the range has no more keys");
        }
        return page.next();
      }
    };
  }

  static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof KvException expected) {
        // It was made on a thread of the client: without this nobody sees which call it was.
        expected.addSuppressed(new Throwable("the call that waited"));
        throw expected;
      }
      throw new IllegalStateException("a call failed in an unexpected way", failed.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new KvException.OutcomeUnknown("interrupted while waiting; the operation goes on");
    }
  }
}
