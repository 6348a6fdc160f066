package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.raft.InvariantViolation;
import org.jspecify.annotations.Nullable;

/**
 * Finds versions of keys: the newest in its row of {@link Table#LATEST}, an older one by following
 * the rows of {@link Table#REV} back from it.
 */
final class Versions {
  private final TableReader tables;

  /**
   * @param tables must hold the events of every row asked about
   */
  Versions(TableReader tables) {
    this.tables = tables;
  }

  /**
   * What a key held at a revision, or null.
   *
   * @param latest its newest row
   * @param withValue false: the value is left empty, which may save reading it
   */
  @Nullable KeyValue at(long revision, Bytes key, LatestRow latest, boolean withValue) {
    if (latest.modRevision() <= revision) {
      return latest.tombstone() ? null : newest(key, latest, withValue);
    }
    RevRow newer = event(latest.modRevision(), latest.modSub());
    while (newer.prevRevision() > revision) {
      newer = event(newer.prevRevision(), newer.prevSub());
    }
    // Revision 0: the key did not exist before.
    if (newer.prevRevision() == 0) {
      return null;
    }
    RevRow found = find(newer.prevRevision(), newer.prevSub());
    // A key that was put anew had been deleted before, and compaction has removed the deletion. It
    // never removes what a put or a delete replaced and somebody may read: that would be damage.
    if (found == null && newer.version() == 1) {
      return null;
    }
    if (found == null) {
      throw missing(newer.prevRevision(), newer.prevSub());
    }
    return found.isDelete() ? null : found.keyValue(key, withValue ? found.value() : Bytes.EMPTY);
  }

  /** The newest version of a key; not for a tombstone. */
  KeyValue newest(Bytes key, LatestRow latest, boolean withValue) {
    if (!withValue) {
      return latest.keyValue(key, Bytes.EMPTY);
    }
    if (latest.value() != null) {
      return latest.keyValue(key, latest.value());
    }
    return latest.keyValue(key, event(latest.modRevision(), latest.modSub()).value());
  }

  private RevRow event(long revision, int sub) {
    RevRow found = find(revision, sub);
    if (found == null) {
      throw missing(revision, sub);
    }
    return found;
  }

  private @Nullable RevRow find(long revision, int sub) {
    byte[] row = tables.get(Table.REV, RevRow.key(revision, sub));
    return row == null ? null : new RevRow(revision, row);
  }

  private static InvariantViolation missing(long revision, int sub) {
    return new InvariantViolation("the event " + revision + "/" + sub + " is in the store");
  }
}
