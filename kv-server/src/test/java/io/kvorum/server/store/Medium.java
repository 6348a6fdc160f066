package io.kvorum.server.store;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import java.nio.file.Path;

/** What outlives a process: opens tables, and opens them again after a crash. */
interface Medium extends TablesHome {
  /** Crashes the tables that are open, and opens what is left. */
  Tables crash();

  /** On the heap. */
  static Medium memory(int writesPerFlush) {
    return new At(new MemoryHome(writesPerFlush));
  }

  /** RocksDB, with memory so small that it often flushes by itself. */
  static Medium rocks(Path directory) {
    RocksSettings settings = RocksSettings.DEFAULT.withBuffers(64 << 10, 64 << 10);
    return new At(RocksHome.in(RealDisk.at(directory), settings));
  }

  /** At a home. */
  final class At implements Medium {
    private final TablesHome home;
    private Tables tables;

    private At(TablesHome home) {
      this.home = home;
    }

    @Override
    public Tables open() {
      tables = home.open();
      return tables;
    }

    @Override
    public Tables crash() {
      tables.abandon();
      return open();
    }

    @Override
    public void replace(Disk files) {
      home.replace(files);
    }

    @Override
    public TableSnapshot peek(Disk files) {
      return home.peek(files);
    }
  }
}
