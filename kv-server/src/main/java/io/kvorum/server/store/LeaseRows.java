package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All leases and the keys that hang on them, on the heap. Used by the apply lane only, but for
 * {@link #hasChanges}.
 *
 * <p>A key hangs on the lease that its newest version names, and on no other: {@link #moved} is
 * told of every change of a key (FAULTS F133). What has changed reaches {@link Table#LEASE} in the
 * batch of the {@link Overlay} that holds those changes.
 */
final class LeaseRows {
  private static final byte[] NOTHING = new byte[0];

  private static final class Lease {
    private final TreeSet<Bytes> keys = new TreeSet<>();
    private LeaseRow row;

    Lease(LeaseRow row) {
      this.row = row;
    }
  }

  private final RowSum sum;
  private final UsedSpace used;
  private final NavigableMap<Long, Lease> leases = new TreeMap<>();

  /** Rows of the table to set, or to remove where the value is null. */
  private final NavigableMap<byte[], byte @Nullable []> unwritten =
      new TreeMap<>(Arrays::compareUnsigned);

  /** Of these nobody has heard yet: see {@link #takeChanges}. */
  private final TreeSet<Long> changed = new TreeSet<>();

  private volatile boolean hasChanges;

  private LeaseRows(RowSum sum, UsedSpace used) {
    this.sum = sum;
    this.used = used;
  }

  /**
   * What the table holds; all of it counts as changed.
   *
   * @param sum of the table's rows, and others
   * @param used counts them already
   */
  static LeaseRows load(TableReader tables, RowSum sum, UsedSpace used) {
    LeaseRows loaded = new LeaseRows(sum, used);
    try (TableCursor rows = tables.scan(Table.LEASE, NOTHING, null, false)) {
      while (rows.next()) {
        ByteBuffer key = ByteBuffer.wrap(rows.key());
        long id = key.getLong();
        if (key.hasRemaining()) {
          loaded.lease(id).keys.add(Bytes.copyOf(key));
        } else {
          loaded.leases.put(id, new Lease(LeaseRow.decode(rows.value())));
          loaded.change(id);
        }
      }
    }
    return loaded;
  }

  /** The lease, or null. */
  @Nullable LeaseRow find(long id) {
    Lease lease = leases.get(id);
    return lease == null ? null : lease.row;
  }

  /** How many keys hang on it. */
  int keyCount(long id) {
    return lease(id).keys.size();
  }

  /** What hangs on it, in order: as it is now. */
  List<Bytes> keys(long id) {
    return List.copyOf(lease(id).keys);
  }

  /** All leases that are for this, ascending. */
  List<Long> ids(LeaseKind kind) {
    List<Long> ids = new ArrayList<>();
    leases.forEach(
        (id, lease) -> {
          if (lease.row.kind() == kind) {
            ids.add(id);
          }
        });
    return ids;
  }

  /** An id for a new lease: positive, the same on every member, not like the one before. */
  long unusedId(long entryIndex) {
    long seed = entryIndex;
    while (true) {
      // SplittableRandom's mix: one to one, so no two entries collide but for the sign.
      long mixed = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
      mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
      long id = (mixed ^ (mixed >>> 31)) & Long.MAX_VALUE;
      if (id != 0 && !leases.containsKey(id)) {
        return id;
      }
      seed += 0x9e3779b97f4a7c15L;
    }
  }

  /** Sets a lease, which keeps its keys if it is there already. */
  void put(long id, LeaseRow row) {
    Lease lease = leases.get(id);
    set(LeaseRow.key(id), lease == null ? null : lease.row.encode(), row.encode());
    if (lease == null) {
      leases.put(id, new Lease(row));
      used.add(Space.LEASE_BYTES);
    } else {
      lease.row = row;
    }
    change(id);
  }

  /** Removes a lease on which nothing hangs any more. */
  void remove(long id) {
    Lease lease = lease(id);
    InvariantViolation.check(lease.keys.isEmpty(), "the keys of a lease go first");
    leases.remove(id);
    used.add(-Space.LEASE_BYTES);
    set(LeaseRow.key(id), lease.row.encode(), null);
    change(id);
  }

  /**
   * Notes a row to be written.
   *
   * @param before what it was; null: it was not there
   * @param now null: it goes
   */
  private void set(byte[] key, byte @Nullable [] before, byte @Nullable [] now) {
    // What was not written yet, the table does not hold.
    if (before != null && !unwritten.containsKey(key)) {
      sum.remove(Table.LEASE, key, before);
    }
    unwritten.put(key, now);
  }

  /** A key that hung on one lease hangs on another one now; 0: on none. */
  void moved(Bytes key, long from, long to) {
    if (from == to) {
      return;
    }
    if (from != 0) {
      boolean hung = lease(from).keys.remove(key);
      InvariantViolation.check(hung, "a key hangs on the lease that it names");
      set(LeaseRow.key(from, key.arrayUnsafe()), NOTHING, null);
      used.add(-Space.ofAttached(key.size()));
    }
    if (to != 0) {
      lease(to).keys.add(key);
      set(LeaseRow.key(to, key.arrayUnsafe()), null, NOTHING);
      used.add(Space.ofAttached(key.size()));
    }
  }

  private Lease lease(long id) {
    Lease lease = leases.get(id);
    if (lease == null) {
      throw new InvariantViolation("lease " + id + " exists");
    }
    return lease;
  }

  /** How many rows {@link #writeTo} would write. */
  int unwritten() {
    return unwritten.size();
  }

  /** Adds what has changed since the last time. */
  void writeTo(TableBatch batch) {
    for (Map.Entry<byte[], byte @Nullable []> row : unwritten.entrySet()) {
      byte[] value = row.getValue();
      if (value == null) {
        batch.delete(Table.LEASE, row.getKey());
      } else {
        batch.put(Table.LEASE, row.getKey(), value);
        sum.add(Table.LEASE, row.getKey(), value);
      }
    }
    unwritten.clear();
  }

  /** Takes the place of others: nobody has heard yet of what is different, ended ones included. */
  void succeed(LeaseRows others) {
    others.leases.keySet().forEach(this::change);
    others.changed.forEach(this::change);
  }

  private void change(long id) {
    changed.add(id);
    hasChanges = true;
  }

  /** Whether {@link #takeChanges} has something to give; any thread may ask. */
  boolean hasChanges() {
    return hasChanges;
  }

  /** What has become of leases since the last time: for each, how it is now. */
  List<LeaseChange> takeChanges() {
    List<LeaseChange> taken = new ArrayList<>(changed.size());
    changed.forEach(id -> taken.add(new LeaseChange(id, find(id))));
    changed.clear();
    hasChanges = false;
    return taken;
  }
}
