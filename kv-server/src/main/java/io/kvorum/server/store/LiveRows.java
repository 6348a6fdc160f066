package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * The state after the last applied entry, on the apply lane. Only while no entry is half applied:
 * what the overlay holds then belongs to whole entries, and may be written wherever a read needs
 * it.
 *
 * @param state that the overlay leads to
 */
record LiveRows(Tables tables, Overlay overlay, Versions versions, StoreState state)
    implements Rows {
  @Override
  public @Nullable LatestRow find(Bytes key) {
    return overlay.find(key);
  }

  @Override
  public TableCursor scan(KeyRange range, boolean reverse) {
    // The scan sees the table only.
    if (overlay.hides(range)) {
      overlay.writeAll(state);
    }
    byte[] to = range.to() == null ? null : range.to().arrayUnsafe();
    return tables.scan(Table.LATEST, range.from().arrayUnsafe(), to, reverse);
  }

  @Override
  public KeyValue newest(Bytes key, LatestRow latest, boolean withValue) {
    return versions.newest(key, latest, withValue);
  }

  @Override
  public int leaseKeys(long id) {
    LeaseRow lease = overlay.leases().find(id);
    boolean isUsers = lease != null && lease.kind() == LeaseKind.USER;
    return isUsers ? overlay.leases().keyCount(id) : -1;
  }

  @Override
  public @Nullable KeyValue at(long revision, Bytes key, LatestRow latest, boolean withValue) {
    // The way back may begin at an event of this very batch of entries.
    overlay.writeEvents();
    return versions.at(revision, key, latest, withValue);
  }
}
