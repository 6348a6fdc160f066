package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryTablesTest extends TablesContract {
  private final MemoryHome home = new MemoryHome(0);

  @Override
  protected TablesHome home() {
    return home;
  }

  @Override
  protected TablesHome otherHome(int number) {
    return new MemoryHome(0);
  }

  @Override
  protected Tables crash(Tables crashed) {
    return home.open();
  }

  @Test
  void flushesByItselfBetweenTwoBatches() {
    MemoryTables tables = new MemoryTables(2);
    for (int i = 0; i < 3; i++) {
      TableBatch batch = tables.batch();
      batch.put(Table.LATEST, bytes("k"), new byte[] {(byte) i});
      tables.write(batch);
    }
    assertThat(tables.get(Table.LATEST, bytes("k"))).containsExactly(2);
    assertThat(tables.crash().get(Table.LATEST, bytes("k"))).containsExactly(1);
  }
}
