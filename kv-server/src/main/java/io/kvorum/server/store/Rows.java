package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import org.jspecify.annotations.Nullable;

/** One state of the store, as a transaction reads it. */
interface Rows {
  /** The newest row of a key, a tombstone too; null if it has none. */
  @Nullable LatestRow find(Bytes key);

  /** The newest rows of a range. Must be closed. */
  TableCursor scan(KeyRange range, boolean reverse);

  /** What a row that was found here says; not for a tombstone. */
  KeyValue newest(Bytes key, LatestRow latest, boolean withValue);

  /** How many keys hang on a lease; -1: there is no such lease. Not asked by what only reads. */
  int leaseKeys(long id);

  /** What a key held at a revision, or null; see {@link Versions#at}. */
  @Nullable KeyValue at(long revision, Bytes key, LatestRow latest, boolean withValue);
}
