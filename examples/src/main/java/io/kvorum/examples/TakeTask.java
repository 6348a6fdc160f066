package io.kvorum.examples;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;

/** A transaction: of all who want a task, one takes it, and counts it, at the same instant. */
public final class TakeTask {
  private TakeTask() {}

  /** Says whether the task was open, and is ours now. */
  static boolean take(BlockingKvClient kv, Bytes task, Bytes me) {
    // readme: txn
    TxnResult taken =
        kv.txn(
            Txn.when(Compare.value(task).isEqualTo(Bytes.utf8("open")))
                .then(Op.put(task, me), Op.add(Bytes.utf8("tasks/taken"), 1))
                .otherwise(Op.get(task)));
    System.out.println(taken.succeeded() ? "it is mine" : "it is not open: " + taken.results());
    // readme: end
    return taken.succeeded();
  }

  public static void main(String[] args) {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    try (RemoteKvClient client = RemoteKvClient.connect(config)) {
      Bytes task = Bytes.utf8("tasks/1");
      client.blocking().put(task, Bytes.utf8("open"));
      boolean first = take(client.blocking(), task, Bytes.utf8("me"));
      boolean second = take(client.blocking(), task, Bytes.utf8("me too"));
      System.out.println(first + " and " + second);
    }
  }
}
