package io.kvorum.bench.peer.rheakv;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.bench.system.Cluster;
import io.kvorum.bench.system.JavaPeer;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.SystemUnderTest;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** RheaKV with its defaults: one region on RocksDB, without a placement driver. */
public final class RheaKvSystem implements SystemUnderTest {
  /** Its name. */
  public static final String NAME = "rheakv";

  /** As its libraries have it. */
  static final String VERSION = "1.3.14";

  private final Libraries libraries;

  /** With its libraries among these. */
  public RheaKvSystem(Libraries libraries) {
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
    return "synced before the ack; linearizable reads";
  }

  @Override
  public String flags() {
    return String.join(" ", JavaPeer.JVM_OPTIONS);
  }

  /** It has no watches. */
  @Override
  public Set<Workload> workloads() {
    return EnumSet.of(Workload.PUT, Workload.GET, Workload.MIXED, Workload.TXN);
  }

  @Override
  public Class<? extends StoreFactory> clients() {
    return RheaKvStores.class;
  }

  @Override
  public String clientClassPath() {
    return libraries.of(NAME);
  }

  @Override
  public Cluster start(Path directory, int nodes) throws InterruptedException {
    return JavaPeer.start(directory, nodes, libraries.of(NAME), RheaKvServer.class);
  }
}
