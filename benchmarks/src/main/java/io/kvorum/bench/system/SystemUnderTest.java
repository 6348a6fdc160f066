package io.kvorum.bench.system;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import java.nio.file.Path;
import java.util.Set;

/** A store that can be measured: how its servers are started, and which client speaks to them. */
public interface SystemUnderTest {
  /** As the command line and the results call it. */
  String name();

  String version();

  /** When a write is acknowledged, and how strict a read is, in a few words. */
  String promises();

  /** What it was started with, where that is not the default. */
  String flags();

  /** The loads that it can bear. */
  Set<Workload> workloads();

  /** Opens clients, in the client process. */
  Class<? extends StoreFactory> clients();

  /** The class path of the client process. */
  String clientClassPath();

  /**
   * Starts the servers, each with a directory of its own in this one, which is empty. Returns when
   * they run; it may take longer until they serve.
   *
   * @throws io.kvorum.cli.process.ServerProcessException if one of them ends
   */
  Cluster start(Path directory, int nodes) throws InterruptedException;
}
