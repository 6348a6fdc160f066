package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import org.jspecify.annotations.Nullable;

/** A pinned state; the snapshot must hold all of it that is asked for. On any one thread. */
final class SnapshotRows implements Rows {
  private final TableSnapshot snapshot;
  private final Versions versions;

  SnapshotRows(TableSnapshot snapshot) {
    this.snapshot = snapshot;
    this.versions = new Versions(snapshot);
  }

  @Override
  public @Nullable LatestRow find(Bytes key) {
    byte[] row = snapshot.get(Table.LATEST, key.arrayUnsafe());
    return row == null ? null : LatestRow.decode(row);
  }

  @Override
  public TableCursor scan(KeyRange range, boolean reverse) {
    byte[] to = range.to() == null ? null : range.to().arrayUnsafe();
    return snapshot.scan(Table.LATEST, range.from().arrayUnsafe(), to, reverse);
  }

  @Override
  public KeyValue newest(Bytes key, LatestRow latest, boolean withValue) {
    return versions.newest(key, latest, withValue);
  }

  @Override
  public int leaseKeys(long id) {
    throw new AssertionError("a read attaches no key to a lease");
  }

  @Override
  public @Nullable KeyValue at(long revision, Bytes key, LatestRow latest, boolean withValue) {
    return versions.at(revision, key, latest, withValue);
  }
}
