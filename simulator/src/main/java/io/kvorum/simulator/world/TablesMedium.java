package io.kvorum.simulator.world;

import io.kvorum.server.store.MemoryTables;
import io.kvorum.server.store.Tables;

/** What a machine keeps its tables on, over the ends of its processes. */
public interface TablesMedium {
  /** Opens the tables, as the next process finds them. */
  Tables open();

  /** The process has ended without closing them: what was not flushed may be gone. */
  void crash();

  /** They are lost altogether. */
  void lose();

  /** In memory, which forgets what was not flushed. */
  static TablesMedium memory(int writesPerFlush) {
    return new Memory(writesPerFlush);
  }

  /** Tables in memory. */
  final class Memory implements TablesMedium {
    private final int writesPerFlush;
    private MemoryTables tables;

    private Memory(int writesPerFlush) {
      this.writesPerFlush = writesPerFlush;
      this.tables = new MemoryTables(writesPerFlush);
    }

    @Override
    public Tables open() {
      // Also after a process that has closed them: the next one needs tables that are open.
      tables = tables.crash();
      return tables;
    }

    @Override
    public void crash() {
      tables = tables.crash();
    }

    @Override
    public void lose() {
      tables = new MemoryTables(writesPerFlush);
    }
  }
}
