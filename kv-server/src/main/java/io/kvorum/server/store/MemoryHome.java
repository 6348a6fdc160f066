package io.kvorum.server.store;

import io.kvorum.disk.Disk;

/** The home of {@link MemoryTables}: a variable that outlives what stands for a process. */
public final class MemoryHome implements TablesHome {
  private final int writesPerFlush;
  private MemoryTables tables;

  /**
   * A home of empty tables.
   *
   * @param writesPerFlush of {@link MemoryTables}
   */
  public MemoryHome(int writesPerFlush) {
    this.writesPerFlush = writesPerFlush;
    this.tables = new MemoryTables(writesPerFlush);
  }

  /** {@inheritDoc} Tables that are still open have crashed. */
  @Override
  public MemoryTables open() {
    tables = tables.crash();
    return tables;
  }

  /**
   * One byte of one value changes that nobody has written: as memory or a disk may do.
   *
   * @param position of its key among all that have a value, from 0 to 1
   * @return false if there is none
   */
  public boolean flip(double position) {
    return tables.flip(position);
  }

  /** The process that has opened the tables is gone. */
  public void crash() {
    tables = tables.crash();
  }

  /** {@inheritDoc} All of it happens in one instant. */
  @Override
  public void replace(Disk files) {
    MemoryTables found = MemoryTables.read(files, writesPerFlush);
    tables.retire();
    tables = found;
  }

  @Override
  public TableSnapshot peek(Disk files) {
    return new WholeTables(MemoryTables.read(files, 0), () -> {});
  }
}
