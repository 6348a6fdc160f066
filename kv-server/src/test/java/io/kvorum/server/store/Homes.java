package io.kvorum.server.store;

import io.kvorum.disk.Disk;

/** Homes of tables that a test already has. */
final class Homes {
  private Homes() {}

  /** A store over these tables, in whose place nothing is installed. */
  static KvStateMachine open(Tables tables, StoreOptions options) {
    return KvStateMachine.open(of(tables), options);
  }

  private static TablesHome of(Tables tables) {
    return new TablesHome() {
      @Override
      public Tables open() {
        return tables;
      }

      @Override
      public void replace(Disk files) {
        throw new AssertionError("nobody lives elsewhere");
      }

      @Override
      public TableSnapshot peek(Disk files) {
        throw new AssertionError("nobody lives elsewhere");
      }
    };
  }
}
