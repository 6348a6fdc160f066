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
    Place place = placeAt(revision, latest);
    if (place == null || place.event().isDelete()) {
      return null;
    }
    return place.event().keyValue(key, withValue ? place.event().value() : Bytes.EMPTY);
  }

  /**
   * The row that was a key's newest at a revision before its present one, with its value; null if
   * the key did not exist then, and had left nothing.
   */
  @Nullable LatestRow rowAt(long revision, Bytes key, LatestRow latest) {
    Place place = placeAt(revision, latest);
    if (place == null) {
      return null;
    }
    if (place.event().isDelete()) {
      return LatestRow.deleted(place.revision(), place.sub());
    }
    KeyValue then = place.event().keyValue(key, place.event().value());
    return new LatestRow(
        then.modRevision(),
        place.sub(),
        then.createRevision(),
        then.version(),
        then.lease(),
        false,
        then.value());
  }

  /** Where a key changed last, as of a revision. */
  private record Place(long revision, int sub, RevRow event) {}

  private @Nullable Place placeAt(long revision, LatestRow latest) {
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
    return new Place(newer.prevRevision(), newer.prevSub(), found);
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
