package io.kvorum.bench.peer.kvorum;

import io.kvorum.api.KvClient;
import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.bench.system.Cluster;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.SystemUnderTest;
import io.kvorum.cli.process.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Kvorum with its defaults, its servers started as {@code ./kvorum up} starts them. */
public final class KvorumSystem implements SystemUnderTest {
  /** Its name. */
  public static final String NAME = "kvorum";

  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    String version = KvClient.class.getPackage().getImplementationVersion();
    return version == null ? "of this tree" : version;
  }

  @Override
  public String promises() {
    return "synced before the ack; linearizable reads";
  }

  @Override
  public String flags() {
    return "defaults; server heap 512 MiB";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  @Override
  public Class<? extends StoreFactory> clients() {
    return KvorumStores.class;
  }

  @Override
  public String clientClassPath() {
    return Libraries.own();
  }

  @Override
  public Cluster start(Path directory, int nodes) throws InterruptedException {
    LocalCluster cluster =
        LocalCluster.withLogFiles(LocalCluster.Config.onFreePorts(directory, nodes));
    try {
      cluster.startAll(START_LIMIT);
    } catch (InterruptedException | RuntimeException failed) {
      cluster.close();
      throw failed;
    }
    return new Started(cluster);
  }

  private record Started(LocalCluster cluster) implements Cluster {
    @Override
    public List<Long> pids() {
      return cluster.names().stream().map(name -> cluster.process(name).pid()).toList();
    }

    @Override
    public String endpoints() {
      return String.join(",", cluster.endpoints());
    }

    @Override
    public void close() {
      cluster.close();
    }
  }
}
