package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a command is about to change, over the rows that it found: its later operations see it,
 * nobody else does, and on a refusal it is forgotten.
 *
 * <p>No key is in here twice: no command puts a key that it also puts or deletes elsewhere, and a
 * second delete finds nothing.
 */
final class Changes {
  /** A change, with what it replaces. */
  private record Change(Bytes key, LatestRow now, @Nullable LatestRow before) {}

  /** Takes the rows of a range, one after the other. */
  @FunctionalInterface
  interface Visitor {
    /** Returns whether the next one is wanted. */
    boolean visit(Bytes key, LatestRow row);
  }

  private final Rows rows;
  private final List<Change> inOrder = new ArrayList<>();

  /** Of most commands nobody asks for it. */
  private @Nullable NavigableMap<Bytes, LatestRow> byKey;

  Changes(Rows rows) {
    this.rows = rows;
  }

  /** How many keys change; also the sub-number of the next change. */
  int size() {
    return inOrder.size();
  }

  /** The newest row of a key, as the next operation sees it; null if it has none. */
  @Nullable LatestRow find(Bytes key) {
    LatestRow changed = inOrder.isEmpty() ? null : byKey().get(key);
    return changed != null ? changed : rows.find(key);
  }

  private NavigableMap<Bytes, LatestRow> byKey() {
    NavigableMap<Bytes, LatestRow> known = byKey;
    if (known == null) {
      known = new TreeMap<>();
      for (Change change : inOrder) {
        known.put(change.key(), change.now());
      }
      byKey = known;
    }
    return known;
  }

  /** Visits the newest rows of a range, tombstones too, as the next operation sees them. */
  void scan(KeyRange range, boolean reverse, Visitor visitor) {
    Merge merge = new Merge(changedIn(range, reverse), reverse, visitor);
    try (TableCursor stored = rows.scan(range, reverse)) {
      while (stored.next()) {
        Bytes key = Bytes.wrapUnsafe(stored.key());
        if (!merge.visitBefore(key)) {
          return;
        }
        LatestRow row = merge.skip(key) ? changed(key) : LatestRow.decode(stored.value());
        if (!visitor.visit(key, row)) {
          return;
        }
      }
    }
    boolean unused = merge.visitBefore(null);
  }

  /** Brings changed keys to where they belong among those that are stored. */
  private final class Merge {
    private final Iterator<Bytes> changed;
    private final Comparator<Bytes> order;
    private final Visitor visitor;
    private @Nullable Bytes next;

    Merge(Iterable<Bytes> changed, boolean reverse, Visitor visitor) {
      this.changed = changed.iterator();
      this.order = reverse ? Comparator.reverseOrder() : Comparator.naturalOrder();
      this.visitor = visitor;
      this.next = advance();
    }

    private @Nullable Bytes advance() {
      return changed.hasNext() ? changed.next() : null;
    }

    /** Visits those before the key; null: all that are left. Returns whether to go on. */
    boolean visitBefore(@Nullable Bytes key) {
      for (Bytes each = next; each != null; each = next) {
        if (key != null && order.compare(each, key) >= 0) {
          return true;
        }
        next = advance();
        if (!visitor.visit(each, changed(each))) {
          return false;
        }
      }
      return true;
    }

    /** Whether the key is the next one, which then is done with. */
    boolean skip(Bytes key) {
      boolean isNext = next != null && next.equals(key);
      if (isNext) {
        next = advance();
      }
      return isNext;
    }
  }

  private Iterable<Bytes> changedIn(KeyRange range, boolean reverse) {
    NavigableMap<Bytes, LatestRow> in =
        range.to() == null
            ? byKey().tailMap(range.from(), true)
            : byKey().subMap(range.from(), true, range.to(), false);
    return (reverse ? in.descendingMap() : in).keySet();
  }

  private LatestRow changed(Bytes key) {
    LatestRow row = byKey().get(key);
    if (row == null) {
      throw new AssertionError("a changed key has a row: " + key);
    }
    return row;
  }

  /**
   * Notes a change; not while a scan is under way.
   *
   * @param before what {@link #find} or a scan gave for the key
   */
  void add(Bytes key, LatestRow now, @Nullable LatestRow before) {
    inOrder.add(new Change(key, now, before));
    if (byKey != null) {
      byKey.put(key, now);
    }
  }

  /** Whether something is put: what only deletes makes room, sooner or later. */
  boolean grows() {
    for (Change change : inOrder) {
      if (!change.now().tombstone()) {
        return true;
      }
    }
    return false;
  }

  /** How many bytes more the store takes with them: see {@link Space}. */
  long bytes() {
    long bytes = 0;
    for (Change change : inOrder) {
      long from = change.before() == null ? 0 : change.before().lease();
      long to = change.now().lease();
      bytes += Space.ofVersion(change.key(), change.now());
      if (from != to) {
        long attached = Space.ofAttached(change.key().size());
        bytes += (to == 0 ? 0 : attached) - (from == 0 ? 0 : attached);
      }
    }
    return bytes;
  }

  /** Adds what they are in the store's history. */
  void addEventsTo(List<StoreEvent> events) {
    inOrder.forEach(
        change -> events.add(History.event(change.key(), change.now(), change.before())));
  }

  /** Makes them all happen. */
  void applyTo(Overlay overlay) {
    inOrder.forEach(change -> overlay.change(change.key(), change.now(), change.before()));
  }
}
