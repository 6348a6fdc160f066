package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import java.util.NavigableMap;

/**
 * The space of a {@link ModelStore} as one would explain it: whenever somebody asks, everything is
 * counted anew.
 */
final class ModelSpace {
  private final ModelStore store;
  private long quotaBytes;
  private boolean wasRefused;
  private boolean alarm;

  ModelSpace(ModelStore store) {
    this.store = store;
  }

  void setQuota(long bytes) {
    quotaBytes = bytes;
    settle();
  }

  /** As the store says it, but for the sums of all times. */
  Space now() {
    return new Space(quotaBytes, usedBytes(store.compactRevision()), reclaimable(), 0, alarm);
  }

  static Space withoutHistory(Space space) {
    return new Space(
        space.quotaBytes(), space.usedBytes(), space.reclaimableBytes(), 0, space.alarm());
  }

  private long reclaimable() {
    return usedBytes(store.compactRevision()) - usedBytes(store.header().revision());
  }

  /** What there is at that revision, and all that has happened since; and leases. */
  private long usedBytes(long compacted) {
    long used = 0;
    for (KeyValue held : store.at(compacted).values()) {
      used += 96 + held.key().size() + held.value().size();
    }
    for (ModelStore.Event event : store.events()) {
      if (event.revision() > compacted) {
        int valueBytes = event.put() == null ? 0 : event.put().value().size();
        used += 96 + event.key().size() + valueBytes;
      }
    }
    used += 64L * store.leases.ids().size();
    for (KeyValue held : store.at(store.header().revision()).values()) {
      used += held.lease() == 0 ? 0 : 32 + held.key().size();
    }
    return used;
  }

  /** What a put takes more. */
  static long bytes(Bytes key, Bytes value, long oldLease, long newLease) {
    long hung = oldLease == 0 ? 0 : 32 + key.size();
    long hangs = newLease == 0 ? 0 : 32 + key.size();
    return 96 + key.size() + value.size() + hangs - hung;
  }

  /** What only deletes always has room. */
  boolean hasRoom(NavigableMap<Bytes, KeyValue> before, ModelTxn txn) {
    long more = 0;
    boolean puts = false;
    for (Bytes key : txn.changed) {
      KeyValue old = before.get(key);
      KeyValue now = txn.now(key);
      puts |= now != null;
      more +=
          bytes(
              key,
              now == null ? Bytes.EMPTY : now.value(),
              old == null ? 0 : old.lease(),
              now == null ? 0 : now.lease());
    }
    return !puts || hasRoom(more);
  }

  boolean hasRoom(long moreBytes) {
    boolean hasRoom =
        quotaBytes == 0 || usedBytes(store.compactRevision()) + moreBytes <= quotaBytes;
    wasRefused |= !hasRoom;
    return hasRoom;
  }

  /** After an entry. */
  void settle() {
    long used = usedBytes(store.compactRevision());
    boolean isClose = quotaBytes != 0 && used > quotaBytes - quotaBytes / 20;
    alarm = isClose && (alarm || wasRefused || used >= quotaBytes);
    wasRefused = false;
  }

  /** What tables say of their space is what all their rows come to (FAULTS F166). */
  static void checkCount(TableReader tables) {
    StoreState state = StoreState.in(tables);
    Space said = state.space();
    Space counted =
        SpaceCount.of(
            tables,
            state,
            (place, event, superseded) ->
                assertThat(event.supersededBytes() - said.reclaimedBytes()).isEqualTo(superseded));
    assertThat(said.usedBytes()).isEqualTo(counted.usedBytes());
    assertThat(said.reclaimableBytes()).isEqualTo(counted.supersededBytes());
    assertThat(counted.usedBytes()).isNotNegative();
  }
}
