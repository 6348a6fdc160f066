package io.kvorum.bench.peer.dledger;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.bench.system.Cluster;
import io.kvorum.bench.system.JavaPeer;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.SystemUnderTest;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** DLedger with its defaults: files, synced in the background. */
public final class DLedgerSystem implements SystemUnderTest {
  /** Its name. */
  public static final String NAME = "dledger";

  /** As its libraries have it. */
  static final String VERSION = "0.3.2";

  private final Libraries libraries;

  /** With its libraries among these. */
  public DLedgerSystem(Libraries libraries) {
    this.libraries = libraries;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return VERSION;
  }

  @Override
  public String promises() {
    return "a log; acks BEFORE the sync; reads by index, without asking a majority";
  }

  @Override
  public String flags() {
    return String.join(" ", JavaPeer.JVM_OPTIONS);
  }

  /** It is a log: there is nothing to compare and nothing to watch. */
  @Override
  public Set<Workload> workloads() {
    return EnumSet.of(Workload.PUT, Workload.GET, Workload.MIXED);
  }

  @Override
  public Class<? extends StoreFactory> clients() {
    return DLedgerStores.class;
  }

  @Override
  public String clientClassPath() {
    return libraries.of(NAME);
  }

  @Override
  public Cluster start(Path directory, int nodes) throws InterruptedException {
    return JavaPeer.start(directory, nodes, libraries.of(NAME), DLedgerServers.class);
  }
}
