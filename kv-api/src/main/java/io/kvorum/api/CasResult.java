package io.kvorum.api;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What a put that compares first resulted in.
 *
 * @param header its revision is the put's own if it succeeded, else the current one
 * @param succeeded whether the key was put
 * @param found what the key holds instead, if it was not put; empty if it does not exist. What it
 *     held before, if it was put and that was asked for
 */
public record CasResult(Header header, boolean succeeded, Optional<KeyValue> found) {
  static CompletableFuture<CasResult> of(KvClient client, Bytes key, long modRevision, Op put) {
    Txn txn =
        Txn.when(Compare.modRevision(key).isEqualTo(modRevision)).then(put).otherwise(Op.get(key));
    return client.txn(txn).thenApply(CasResult::of);
  }

  private static CasResult of(TxnResult result) {
    OpResult only = result.results().get(0);
    Optional<KeyValue> found =
        only instanceof OpResult.Put put ? put.previous() : ((OpResult.Range) only).keyValue();
    return new CasResult(result.header(), result.succeeded(), found);
  }
}
