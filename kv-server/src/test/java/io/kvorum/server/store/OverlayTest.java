package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import org.junit.jupiter.api.Test;

/** What of the overlay no result shows: how often it goes to the tables. */
class OverlayTest {
  private static final Bytes KEY = Bytes.utf8("key");

  private final FaultyTables tables =
      new FaultyTables(new MemoryTables(), FaultyTables.Fault.BEFORE, Integer.MAX_VALUE);
  private long revision = 1;

  private void change(Overlay overlay, Bytes key) {
    revision++;
    LatestRow row = new LatestRow(revision, 0, 2, revision, 0, false, Script.value(100, revision));
    overlay.change(key, row, overlay.find(key));
  }

  private void write(Overlay overlay) {
    overlay.writeAll(
        new StoreState(new EntryId(revision, 1), revision, 0, 0, Membership.EMPTY, Space.EMPTY));
  }

  /** Also after so many rounds that a wrong account of the cache would have emptied it. */
  @Test
  void aHotKeyIsReadFromTheTableOnce() {
    Overlay overlay =
        new Overlay(
            tables, StoreOptions.DEFAULT.withCacheBytesMax(1000), StateHash.ZERO, Space.EMPTY);
    int before = tables.gets();
    for (int round = 0; round < 100; round++) {
      change(overlay, KEY);
      change(overlay, KEY);
      write(overlay);
    }
    assertThat(tables.gets()).isEqualTo(before + 1);
  }

  @Test
  void theCacheHoldsTheKeysUsedLast() {
    Overlay overlay =
        new Overlay(
            tables, StoreOptions.DEFAULT.withCacheBytesMax(1000), StateHash.ZERO, Space.EMPTY);
    for (int i = 0; i < 100; i++) {
      change(overlay, Bytes.utf8("k" + i));
      write(overlay);
      assertThat(overlay.find(Bytes.utf8("k0"))).isNotNull();
    }
    int before = tables.gets();
    assertThat(overlay.find(Bytes.utf8("k0"))).isNotNull();
    assertThat(overlay.find(Bytes.utf8("k99"))).isNotNull();
    assertThat(tables.gets()).isEqualTo(before);
    assertThat(overlay.find(Bytes.utf8("k50"))).isNotNull();
    assertThat(tables.gets()).isEqualTo(before + 1);
  }

  /** Looking for a hidden change must not cost more than writing what hides it. */
  @Test
  void scansBesideTheChangesCauseAWriteOnlyAfterManyOfThem() {
    Overlay overlay =
        new Overlay(
            tables, StoreOptions.DEFAULT.withOverlay(100, 1 << 20), StateHash.ZERO, Space.EMPTY);
    KeyRange beside = KeyRange.prefix(Bytes.utf8("other"));
    assertThat(overlay.hides(KeyRange.all())).isFalse();
    for (int i = 0; i < 80; i++) {
      change(overlay, Bytes.utf8("k" + i));
    }
    assertThat(overlay.hides(KeyRange.prefix(Bytes.utf8("k7")))).isTrue();
    int looks = 1;
    while (!overlay.hides(beside)) {
      looks++;
    }
    assertThat(looks).isEqualTo(5);
    write(overlay);
    assertThat(overlay.hides(beside)).isFalse();
  }
}
