package io.kvorum.examples.planted.server.store;

import org.rocksdb.RocksDB;

/** Planted: RocksDB beside its own package. */
class StoreThatKnowsRocks {
  void close(RocksDB db) {
    db.close();
  }
}
