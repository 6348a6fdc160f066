package io.kvorum.bench.peer.rheakv;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.system.JavaPeer;
import java.util.List;
import java.util.Set;

/** RheaKV with its defaults: one region on RocksDB, without a placement driver. */
public final class RheaKv {
  /** How it is measured. It has no watches. */
  public static final JavaPeer.Description PEER =
      new JavaPeer.Description(
          "rheakv",
          "1.3.14",
          "synced before the ack; linearizable reads",
          List.of(),
          Set.of(Workload.PUT, Workload.GET, Workload.MIXED, Workload.TXN),
          RheaKvServer.class,
          RheaKvStores.class);

  private RheaKv() {}
}
