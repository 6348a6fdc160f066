package io.kvorum.server.store;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.server.store.protocol.DeleteRange;
import io.kvorum.server.store.protocol.Put;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What commands do to the rows. Each one first decides, reading only replicated state and constants
 * of the format, and then changes; so a refused command has changed nothing.
 */
final class Mutations {
  private final Tables tables;
  private final Overlay overlay;
  private final Versions versions;

  Mutations(Tables tables, Overlay overlay) {
    this.tables = tables;
    this.overlay = overlay;
    this.versions = new Versions(tables);
  }

  /**
   * What a command did.
   *
   * @param refusal why it did nothing, or null
   * @param changes how many keys it put or deleted
   * @param previous what they held before, if asked for, in order of key
   */
  record Effect(@Nullable Refusal refusal, int changes, List<KeyValue> previous) {
    static Effect refused(Refusal why) {
      return new Effect(why, 0, List.of());
    }
  }

  /**
   * A put, as the only change of its revision.
   *
   * @param state before this command
   */
  Effect put(Put put, StoreState state) {
    Bytes key = bytes(put.getKey());
    Refusal refusal = StoreLimits.refuseKey(key);
    if (refusal != null) {
      return Effect.refused(refusal);
    }
    LatestRow before = overlay.find(key);
    long revision = state.revision() + 1;
    Bytes value = bytes(put.getValue());
    // A deleted key begins anew, but its history still leads back through the deletion.
    if (before == null || before.tombstone()) {
      overlay.change(key, new LatestRow(revision, 0, revision, 1, 0, false, value), before);
      return new Effect(null, 1, List.of());
    }
    List<KeyValue> previous =
        put.getPrevKv() ? List.of(versions.newest(key, before, true)) : List.of();
    long version = before.version() + 1;
    overlay.change(
        key, new LatestRow(revision, 0, before.createRevision(), version, 0, false, value), before);
    return new Effect(null, 1, previous);
  }

  /**
   * A delete: all keys of a range in one revision, numbered inside it in order of key.
   *
   * @param state before this command
   */
  Effect deleteRange(DeleteRange delete, StoreState state) {
    Bytes from = bytes(delete.getKey());
    Refusal refusal = StoreLimits.refuseKey(from);
    if (refusal != null) {
      return Effect.refused(refusal);
    }
    Victims victims = new Victims(delete.getPrevKv());
    if (delete.getRangeEnd().isEmpty()) {
      victims.add(from, overlay.find(from));
    } else {
      Bytes to = Commands.isWithoutEnd(delete.getRangeEnd()) ? null : bytes(delete.getRangeEnd());
      if (to != null && from.compareTo(to) >= 0) {
        return Effect.refused(
            new Refusal(Reason.INVALID_ARGUMENT, "the range ends at or before its first key"));
      }
      KeyRange range = new KeyRange(from, to);
      refusal = StoreLimits.refuseRange(range);
      if (refusal == null) {
        refusal = collect(range, victims, state);
      }
    }
    if (refusal != null) {
      return Effect.refused(refusal);
    }
    victims.delete(state.revision() + 1);
    return new Effect(null, victims.keys.size(), victims.previous);
  }

  /** Finds the keys to delete; stops at a limit and says which. */
  private @Nullable Refusal collect(KeyRange range, Victims victims, StoreState state) {
    // The scan sees the table only. What is written here belongs to the entries before this one.
    if (overlay.hides(range)) {
      overlay.writeAll(state);
    }
    byte[] to = range.to() == null ? null : range.to().arrayUnsafe();
    try (TableCursor rows = tables.scan(Table.LATEST, range.from().arrayUnsafe(), to, false)) {
      while (rows.next()) {
        victims.add(Bytes.wrapUnsafe(rows.key()), LatestRow.decode(rows.value()));
        Refusal refusal = victims.refusal();
        if (refusal != null) {
          return refusal;
        }
      }
    }
    return null;
  }

  private static Bytes bytes(ByteString string) {
    return string.isEmpty() ? Bytes.EMPTY : Bytes.wrapUnsafe(string.toByteArray());
  }

  /** The keys that a delete found, before it deletes any. */
  private final class Victims {
    private final boolean withPrevious;
    private final List<Bytes> keys = new ArrayList<>();
    private final List<LatestRow> rows = new ArrayList<>();
    private final List<KeyValue> previous = new ArrayList<>();
    private long previousBytes;

    Victims(boolean withPrevious) {
      this.withPrevious = withPrevious;
    }

    void add(Bytes key, @Nullable LatestRow row) {
      if (row == null || row.tombstone()) {
        return;
      }
      keys.add(key);
      rows.add(row);
      if (withPrevious) {
        KeyValue held = versions.newest(key, row, true);
        previous.add(held);
        previousBytes += StoreLimits.answerBytes(held);
      }
    }

    @Nullable Refusal refusal() {
      if (keys.size() > StoreLimits.DELETE_KEYS_MAX) {
        return new Refusal(
            Reason.TOO_LARGE,
            "the range holds more than the "
                + StoreLimits.DELETE_KEYS_MAX
                + " keys that one delete takes");
      }
      // A single key is given back whatever its size, as by a put.
      if (previous.size() > 1 && previousBytes > StoreLimits.DELETE_PREVIOUS_BYTES_MAX) {
        return new Refusal(
            Reason.TOO_LARGE,
            "the deleted keys and values have more than the "
                + StoreLimits.DELETE_PREVIOUS_BYTES_MAX
                + " bytes that a delete gives back");
      }
      return null;
    }

    void delete(long revision) {
      for (int sub = 0; sub < keys.size(); sub++) {
        overlay.change(keys.get(sub), LatestRow.deleted(revision, sub), rows.get(sub));
      }
    }
  }
}
