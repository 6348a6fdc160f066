package io.kvorum.bench.peer.dledger;

import io.kvorum.bench.system.ParentLife;
import io.kvorum.cli.process.ServerProcess;
import io.openmessaging.storage.dledger.DLedgerConfig;
import io.openmessaging.storage.dledger.DLedgerServer;

/** A server of the replicated log, which ends with its standard input. */
public final class DLedgerServers {
  /** Of all servers and clients. */
  static final String GROUP = "bench";

  private DLedgerServers() {}

  /**
   * Runs it.
   *
   * @param arguments all servers, host:port; which of them it is, from 0; its directory
   */
  public static void main(String[] arguments) {
    ParentLife.tie();
    DLedgerConfig config = new DLedgerConfig();
    config.setGroup(GROUP);
    config.setSelfId(id(Integer.parseInt(arguments[1])));
    config.setPeers(peers(arguments[0]));
    config.setStoreBaseDir(arguments[2]);
    config.setStoreType(DLedgerConfig.FILE);
    new DLedgerServer(config).startup();
    System.out.println(ServerProcess.READY_PREFIX + "dledger");
  }

  /** The name of a server. */
  static String id(int index) {
    return "n" + index;
  }

  /** As DLedger wants them: n0-host:port;n1-host:port. */
  static String peers(String endpoints) {
    String[] addresses = endpoints.split(",", -1);
    StringBuilder peers = new StringBuilder();
    for (int i = 0; i < addresses.length; i++) {
      peers.append(i == 0 ? "" : ";").append(id(i)).append('-').append(addresses[i]);
    }
    return peers.toString();
  }
}
