package io.kvorum.api;

import java.util.concurrent.CompletableFuture;

/**
 * The keys of a client that start with a prefix, without it: a client for which there are no
 * others. What it is given, it extends by the prefix; from what it answers, it takes the prefix
 * away: operations, transactions with their comparisons, watches and the keys of leases.
 *
 * <p>Shared with the rest of the store are its revisions, its leases (the keys that {@link
 * LeaseRevocation} counts may be of others) and its history, so a compaction here is one of
 * everything. So are idempotency keys: put the prefix into them, too, where others could choose the
 * same. A namespace is an order in which keys are kept, no protection from whoever holds the
 * client. Messages of errors name keys as the store has them.
 */
public final class Namespace implements KvClient {
  private final KvClient client;
  private final boolean closesClient;
  private final PrefixMap map;

  private Namespace(KvClient client, Bytes prefix, boolean closesClient) {
    if (prefix.isEmpty()) {
      throw new IllegalArgumentException("the prefix of a namespace is empty");
    }
    this.client = client;
    this.map = new PrefixMap(prefix);
    this.closesClient = closesClient;
  }

  /** Of a client that stays the caller's: {@link #close} does nothing. */
  public static Namespace of(KvClient client, Bytes prefix) {
    return new Namespace(client, prefix, false);
  }

  /** Of a client that is closed with it. */
  public static Namespace owning(KvClient client, Bytes prefix) {
    return new Namespace(client, prefix, true);
  }

  /** What all its keys start with in the store. */
  public Bytes prefix() {
    return map.prefix();
  }

  @Override
  public boolean mayWait() {
    return client.mayWait();
  }

  @Override
  public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    return key.isEmpty()
        ? emptyKey()
        : Derived.of(
            client.put(map.outer(key), value, options),
            put -> new PutResult(put.header(), put.previous().map(map::inner)));
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    return key.isEmpty()
        ? emptyKey()
        : Derived.of(
            client.get(map.outer(key), options),
            get -> new GetResult(get.header(), get.keyValue().map(map::inner)));
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    return key.isEmpty()
        ? emptyKey()
        : Derived.of(client.delete(map.outer(key), options), this::inner);
  }

  /** Else the prefix itself would be meant, which is no key of ours. */
  private static <T> CompletableFuture<T> emptyKey() {
    return CompletableFuture.failedFuture(
        new KvException.Rejected(
            KvException.Reason.INVALID_ARGUMENT, "the key is empty: a key has at least one byte"));
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    return Derived.of(client.deleteRange(map.outer(range), options), this::inner);
  }

  private DeleteResult inner(DeleteResult result) {
    return new DeleteResult(result.header(), result.deleted(), map.inner(result.previous()));
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    return Derived.of(
        client.range(map.outer(range), options),
        result ->
            new RangeResult(
                result.header(), map.inner(result.keyValues()), result.more(), result.count()));
  }

  @Override
  public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    return Derived.of(
        client.txn(map.outer(txn), options),
        result ->
            new TxnResult(result.header(), result.succeeded(), map.innerResults(result.results())));
  }

  @Override
  public Leases leases() {
    return new NamespaceLeases(client.leases(), map);
  }

  /** Of the whole store. */
  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    return client.compact(revision, options);
  }

  @Override
  public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
    return client.watch(map.outer(range), options, map.inner(listener));
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener) {
    return client.watchWithSnapshot(map.outer(range), options, map.inner(listener));
  }

  /** Closes the client if it is {@link #owning}; else does nothing, and watches go on. */
  @Override
  public void close() {
    if (closesClient) {
      client.close();
    }
  }
}
