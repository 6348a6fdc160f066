package io.kvorum.bench.peer.rheakv;

import com.alipay.sofa.jraft.rhea.client.DefaultRheaKVStore;
import com.alipay.sofa.jraft.rhea.options.PlacementDriverOptions;
import com.alipay.sofa.jraft.rhea.options.RheaKVStoreOptions;
import com.alipay.sofa.jraft.rhea.options.StoreEngineOptions;
import com.alipay.sofa.jraft.rhea.options.configured.PlacementDriverOptionsConfigured;
import com.alipay.sofa.jraft.rhea.options.configured.RheaKVStoreOptionsConfigured;
import com.alipay.sofa.jraft.rhea.options.configured.RocksDBOptionsConfigured;
import com.alipay.sofa.jraft.rhea.options.configured.StoreEngineOptionsConfigured;
import com.alipay.sofa.jraft.rhea.storage.StorageType;
import com.alipay.sofa.jraft.util.Endpoint;
import io.kvorum.bench.system.ParentLife;
import io.kvorum.cli.process.ServerProcess;
import java.nio.file.Path;

/** A server of RheaKV on RocksDB, which ends with its standard input. */
public final class RheaKvServer {
  private RheaKvServer() {}

  /**
   * Runs it.
   *
   * @param arguments all servers, host:port; which of them it is, from 0; its directory
   */
  public static void main(String[] arguments) {
    ParentLife.tie();
    String[] own = arguments[0].split(",", -1)[Integer.parseInt(arguments[1])].split(":", -1);
    Path data = Path.of(arguments[2]);
    StoreEngineOptions engine =
        StoreEngineOptionsConfigured.newConfigured()
            .withStorageType(StorageType.RocksDB)
            .withRocksDBOptions(
                RocksDBOptionsConfigured.newConfigured()
                    .withDbPath(data.resolve("db").toString())
                    .config())
            .withRaftDataPath(data.resolve("raft").toString())
            .withServerAddress(new Endpoint(own[0], Integer.parseInt(own[1])))
            .config();
    PlacementDriverOptions placement =
        PlacementDriverOptionsConfigured.newConfigured().withFake(true).config();
    RheaKVStoreOptions options =
        RheaKVStoreOptionsConfigured.newConfigured()
            .withClusterName(RheaKvStores.CLUSTER)
            .withInitialServerList(arguments[0])
            .withStoreEngineOptions(engine)
            .withPlacementDriverOptions(placement)
            .config();
    if (!new DefaultRheaKVStore().init(options)) {
      System.exit(1);
    }
    System.out.println(ServerProcess.READY_PREFIX + "rheakv");
  }
}
