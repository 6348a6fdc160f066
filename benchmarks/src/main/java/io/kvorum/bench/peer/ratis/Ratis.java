package io.kvorum.bench.peer.ratis;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.system.JavaPeer;
import java.util.List;
import java.util.Set;

/** Ratis with its defaults, and linearizable reads. */
public final class Ratis {
  /** How it is measured. It has no watches. */
  public static final JavaPeer.Description PEER =
      new JavaPeer.Description(
          "ratis",
          "3.2.2",
          "a map in memory; synced before the ack; linearizable reads",
          List.of(
              "raft.server.read.option=LINEARIZABLE",
              "raft.client.async.outstanding-requests.max=" + RatisStores.OUTSTANDING_MAX),
          Set.of(Workload.PUT, Workload.GET, Workload.MIXED, Workload.TXN),
          RatisServer.class,
          RatisStores.class);

  private Ratis() {}
}
