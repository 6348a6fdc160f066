package io.kvorum.server.store;

/**
 * Changes that reach the tables together or not at all. Used by one thread. Keys and values belong
 * to the batch from then on, and are not changed any more.
 */
public interface TableBatch {
  /** Sets a row; of two changes to one row the later one holds. */
  void put(Table table, byte[] key, byte[] value);

  /** Removes a row, if it is there. */
  void delete(Table table, byte[] key);

  /** About what it holds, in bytes; 0 exactly when it is empty. */
  int sizeBytes();
}
