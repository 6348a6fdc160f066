package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same log gives the same bytes and the same results: on every implementation, with every
 * setting, in batches of any size, with a crash anywhere (DESIGN.md §5).
 */
class DeterminismTest {
  private static final int ENTRIES = 250;

  @TempDir Path directory;

  @Test
  void theSameLogGivesTheSameBytes() {
    for (long seed = 1; seed <= 3; seed++) {
      Entries entries = Entries.random(seed, ENTRIES);
      StoreOptions large = StoreOptions.DEFAULT;
      List<String> bytes = replay(entries, Medium.memory(0), large, new Random(seed), 0);
      assertThat(bytes).hasSizeGreaterThan(ENTRIES / 2);
      List<StoreOptions> settings =
          List.of(
              large,
              large.withOverlay(1, 1).withCacheBytesMax(0),
              large.withOverlay(7, 1 << 20),
              large.withOverlay(1000, 10_000).withCacheBytesMax(2000));
      for (StoreOptions options : settings) {
        for (int crashes : new int[] {0, 5, 40}) {
          assertThat(replay(entries, Medium.memory((int) seed), options, new Random(seed), crashes))
              .as("seed %s, %s crashes on the heap, %s", seed, crashes, options)
              .isEqualTo(bytes);
        }
      }
      // A start of RocksDB takes some 30 ms: fewer of these.
      if (seed == 1) {
        onRocks(entries, settings, bytes);
      }
    }
  }

  private void onRocks(Entries entries, List<StoreOptions> settings, List<String> bytes) {
    for (StoreOptions options : settings) {
      Path path = directory.resolve("settings-" + settings.indexOf(options));
      assertThat(replay(entries, Medium.rocks(path), options, new Random(1), 5))
          .as("5 crashes on RocksDB, %s", options)
          .isEqualTo(bytes);
    }
  }

  private static List<String> replay(
      Entries entries, Medium medium, StoreOptions options, Random random, int crashes) {
    List<Integer> crashAt = new ArrayList<>();
    for (int i = 0; i < crashes; i++) {
      crashAt.add(random.nextInt(entries.size()));
    }
    Tables tables = medium.open();
    KvStateMachine machine = Homes.open(tables, options);
    long applied = 0;
    while (applied < entries.size()) {
      long next = Math.min(entries.size(), applied + 1 + random.nextInt(20));
      List<ApplyResult> results = machine.apply(entries.log(applied, next));
      assertThat(results.stream().map(ScriptedStore::withoutWords).toList())
          .isEqualTo(entries.expected(applied, next));
      applied = next;
      long behind = applied;
      if (crashAt.removeIf(at -> at <= behind)) {
        machine.abandon();
        tables = medium.crash();
        machine = Homes.open(tables, options);
        applied = machine.restored().index();
      }
    }
    machine.flush();
    List<String> bytes = Dump.of(tables);
    machine.close();
    return bytes;
  }
}
