package io.kvorum.bench.peer.dledger;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.system.JavaPeer;
import java.util.List;
import java.util.Set;

/** DLedger with its defaults: files, synced in the background. */
public final class DLedger {
  /** How it is measured: a log has nothing to compare and nothing to watch. */
  public static final JavaPeer.Description PEER =
      new JavaPeer.Description(
          "dledger",
          "0.3.2",
          "a log; acks BEFORE the sync; reads by index, without asking a majority",
          List.of(),
          Set.of(Workload.PUT, Workload.GET, Workload.MIXED),
          DLedgerServers.class,
          DLedgerStores.class);

  private DLedger() {}
}
