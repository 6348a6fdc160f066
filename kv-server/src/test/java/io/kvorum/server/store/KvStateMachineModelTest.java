package io.kvorum.server.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * The store against the model: puts, deletes and reads of every kind, clean restarts, crashes with
 * replay, and snapshots that are installed in another store, at overlay and cache sizes that make
 * every path common (FAULTS F029, F098, F138, F139, F144). jqwik prints the seed and the script
 * that failed.
 */
class KvStateMachineModelTest {
  @Property(tries = 250, edgeCases = EdgeCasesMode.NONE)
  void theStoreOnTheHeapIsTheModel(
      @ForAll("steps") List<Script.Step> steps,
      @ForAll("options") StoreOptions options,
      @ForAll("writesPerFlush") int writesPerFlush) {
    new ScriptedStore(() -> new MemoryHome(writesPerFlush), options).run(steps);
  }

  @Property(tries = 12, edgeCases = EdgeCasesMode.NONE)
  void theStoreOnRocksIsTheModel(
      @ForAll("steps") List<Script.Step> steps, @ForAll("options") StoreOptions options)
      throws IOException {
    Path directory = Files.createTempDirectory("kvorum-store");
    AtomicInteger homes = new AtomicInteger();
    try {
      new ScriptedStore(
              () -> Medium.rocks(directory.resolve("db" + homes.incrementAndGet())), options)
          .run(steps);
    } finally {
      TestFiles.delete(directory);
    }
  }

  @Provide
  Arbitrary<List<Script.Step>> steps() {
    return Script.steps();
  }

  @Provide
  Arbitrary<StoreOptions> options() {
    return Script.options();
  }

  @Provide
  Arbitrary<Integer> writesPerFlush() {
    return Arbitraries.of(0, 1, 3);
  }
}
