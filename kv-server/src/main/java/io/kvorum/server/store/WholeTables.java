package io.kvorum.server.store;

import org.jspecify.annotations.Nullable;

/** Tables that nobody writes, as one moment of them: the way to look into a checkpoint. */
public final class WholeTables implements TableSnapshot {
  private final Tables tables;
  private final Runnable afterwards;
  private boolean hasEnded;

  /**
   * @param tables end with this
   * @param afterwards runs once, when nobody reads them any more
   */
  public WholeTables(Tables tables, Runnable afterwards) {
    this.tables = tables;
    this.afterwards = afterwards;
  }

  @Override
  public byte @Nullable [] get(Table table, byte[] key) {
    return tables.get(table, key);
  }

  @Override
  public TableCursor scan(Table table, byte[] from, byte @Nullable [] to, boolean reverse) {
    return tables.scan(table, from, to, reverse);
  }

  @Override
  public void checkReadable(Table table) {
    tables.checkReadable(table);
  }

  @Override
  public void close() {
    tables.close();
    end();
  }

  private synchronized void end() {
    if (!hasEnded) {
      hasEnded = true;
      afterwards.run();
    }
  }
}
