package io.kvorum.bench.run;

import io.kvorum.bench.peer.dledger.DLedger;
import io.kvorum.bench.peer.etcd.EtcdSystem;
import io.kvorum.bench.peer.kvorum.KvorumSystem;
import io.kvorum.bench.peer.ratis.Ratis;
import io.kvorum.bench.peer.rheakv.RheaKv;
import io.kvorum.bench.peer.zookeeper.ZooKeeperSystem;
import io.kvorum.bench.system.JavaPeer;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.SystemUnderTest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Kvorum, and the peers that it can be measured beside. */
public final class Systems {
  private static final Map<String, Function<Libraries, SystemUnderTest>> PEERS = peers();

  private Systems() {}

  private static Map<String, Function<Libraries, SystemUnderTest>> peers() {
    Map<String, Function<Libraries, SystemUnderTest>> peers = new LinkedHashMap<>();
    peers.put(EtcdSystem.NAME, EtcdSystem::new);
    peers.put(ZooKeeperSystem.NAME, ZooKeeperSystem::new);
    for (JavaPeer.Description peer : List.of(RheaKv.PEER, Ratis.PEER, DLedger.PEER)) {
      peers.put(peer.name(), libraries -> new JavaPeer(peer, libraries));
    }
    return peers;
  }

  /** The names of all peers. */
  public static List<String> peerNames() {
    return List.copyOf(PEERS.keySet());
  }

  /**
   * Kvorum and these peers, in this order.
   *
   * @throws IllegalArgumentException if there is no such peer, or one is named twice
   */
  public static List<SystemUnderTest> withPeers(List<String> names, Libraries libraries) {
    if (names.stream().distinct().count() < names.size()) {
      throw new IllegalArgumentException("--peer wants different peers, not " + names);
    }
    return Stream.concat(
            Stream.of(new KvorumSystem()), names.stream().map(name -> peer(name).apply(libraries)))
        .toList();
  }

  private static Function<Libraries, SystemUnderTest> peer(String name) {
    Function<Libraries, SystemUnderTest> peer = PEERS.get(name);
    if (peer == null) {
      throw new IllegalArgumentException(
          "no such peer: " + name + "; there are " + String.join(", ", PEERS.keySet()));
    }
    return peer;
  }
}
