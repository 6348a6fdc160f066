package io.kvorum.server.store;

import io.kvorum.disk.RealDisk;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.server.store.rocks.RocksTables;
import java.nio.file.Path;

/** What outlives a process: opens tables, and opens them again after a crash. */
interface Medium {
  /** Opens for the first time, or after the last tables were closed. */
  Tables open();

  /** Crashes the tables that are open, and opens what is left. */
  Tables crash();

  /** On the heap. */
  static Medium memory(int writesPerFlush) {
    return new Medium() {
      private MemoryTables tables = new MemoryTables(writesPerFlush);

      @Override
      public Tables open() {
        return crash();
      }

      @Override
      public Tables crash() {
        tables = tables.crash();
        return tables;
      }
    };
  }

  /** RocksDB, with memory so small that it often flushes by itself. */
  static Medium rocks(Path directory) {
    return new Medium() {
      private RocksTables tables;

      @Override
      public Tables open() {
        RocksSettings settings = RocksSettings.DEFAULT.withBuffers(64 << 10, 64 << 10);
        tables = RocksTables.open(RealDisk.at(directory), settings);
        return tables;
      }

      @Override
      public Tables crash() {
        tables.abandon();
        return open();
      }
    };
  }
}
