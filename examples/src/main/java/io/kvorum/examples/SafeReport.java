package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.RecipePorts;
import java.time.Duration;

/**
 * What docs/RECIPES.md shows: a report that one process at a time writes, and notes that it did.
 */
public final class SafeReport {
  private SafeReport() {}

  /** Says whether it was noted: not if the lock was lost before. */
  static boolean write(KvClient client, FencedLedger ledger, String report) {
    Bytes key = Bytes.utf8("reports/last");
    Bytes value = Bytes.utf8(report);
    // recipes: lock
    RecipePorts ports = RecipePorts.of(client); // more: withTimers, withCallbacks
    Owner owner = Owner.open(ports, Duration.ofSeconds(10)).join();
    Held held = DistributedLock.of(owner, "locks/report").acquire().join();
    held.onLost(why -> System.out.println("stop: " + why));
    ledger.write(held.fencingToken(), report); // a FencingGuard stands before the ledger
    TxnResult noted =
        client.blocking().txn(held.guarded(Txn.of(Op.put(key, value)))); // done in Kvorum itself
    held.release().join();
    owner.close();
    // recipes: end
    return noted.succeeded();
  }

  public static void main(String[] args) {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    try (RemoteKvClient client = RemoteKvClient.connect(config)) {
      System.out.println("noted: " + write(client, new FencedLedger(), "all is well"));
    }
  }
}
