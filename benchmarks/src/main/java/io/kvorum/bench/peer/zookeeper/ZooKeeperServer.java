package io.kvorum.bench.peer.zookeeper;

import io.kvorum.bench.system.ParentLife;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** A server of an ensemble, which ends with its standard input. */
public final class ZooKeeperServer {
  private ZooKeeperServer() {}

  /**
   * Runs it.
   *
   * @param arguments the configuration file
   */
  public static void main(String[] arguments) {
    ParentLife.tie();
    QuorumPeerMain.main(arguments);
  }
}
