package io.kvorum.server.store.rocks;

import io.kvorum.disk.Disk;

/**
 * Brings the files of a database to another directory. RocksDB writes a table file or a blob file
 * once, and only ever deletes it: such a file is given a second name where that can be done. To the
 * others it may append, so these are copied.
 */
final class TableFiles {
  /**
   * Names the others: without it there is no database. So it goes first where one is taken away,
   * and comes last where one is made.
   */
  static final String CURRENT = "CURRENT";

  /** How the name of a table file ends. */
  static final String TABLE = ".sst";

  private final Runnable check;

  /**
   * @param check asked before each file; throws to end this
   */
  TableFiles(Runnable check) {
    this.check = check;
  }

  /** On return they are in the target, durably. */
  void copy(Disk from, Disk target) {
    for (String name : from.list()) {
      check.run();
      if (name.equals(CURRENT)) {
        continue;
      }
      boolean isImmutable = name.endsWith(TABLE) || name.endsWith(".blob");
      if (isImmutable) {
        from.share(name, target);
      } else {
        from.copy(name, target);
      }
    }
    // All that it names is there for good before it is.
    target.syncDirectory();
    target.replace(CURRENT, from.read(CURRENT));
  }

  /** On return there is no database, durably, and none of its files. */
  static void delete(Disk from) {
    if (from.exists(CURRENT)) {
      from.delete(CURRENT);
      from.syncDirectory();
    }
    from.list().forEach(from::delete);
  }
}
