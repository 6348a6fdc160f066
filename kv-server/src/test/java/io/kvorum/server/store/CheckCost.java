package io.kvorum.server.store;

import com.google.protobuf.ByteString;
import io.kvorum.api.PutOptions;
import io.kvorum.disk.RealDisk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.server.Spread;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Measures what it costs the state machine to have its state compared (docs/adr/0014): never, as a
 * cluster does by default, and often; in turns, each on RocksDB with the same keys. And what the
 * hash of a row costs by itself. Not a test.
 */
final class CheckCost {
  private static final int BATCH = 1_024;

  /** So many changed rows are written at once if nothing else has them written: once in a round. */
  private static final int ROUND_PUTS = StoreOptions.DEFAULT.overlayRowsMax();

  private static final int OFTEN = 100;

  private CheckCost() {}

  /** How many keys there are, by default a million; how many rounds of each, by default 20. */
  public static void main(String[] arguments) throws IOException {
    int keys = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
    Path directory = Files.createTempDirectory("kvorum-check-cost");
    try {
      RealDisk place = RealDisk.at(directory);
      long seldom = StoreOptions.DEFAULT.checkEntries();
      Contestant never = new Contestant("never compared", place, "a", keys, 0);
      Contestant byDefault =
          new Contestant("compared every " + seldom + " entries", place, "b", keys, seldom);
      Contestant often =
          new Contestant("compared every " + OFTEN + " entries", place, "c", keys, OFTEN);
      List<Contestant> all = List.of(never, byDefault, often);
      for (int round = -3; round < rounds; round++) {
        for (Contestant one : all) {
          one.round(round >= 0);
        }
      }
      for (Contestant one : all) {
        Spread.of(one.rates).print("puts, " + one.name, "/s");
        Spread.of(one.ratios(never)).print("  of never compared", "times");
        one.machine.close();
      }
      hashes();
    } finally {
      TestFiles.delete(directory);
    }
  }

  /** A state machine, and how fast it was. */
  private static final class Contestant {
    final String name;
    final KvStateMachine machine;
    final List<Double> rates = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(1);
    private final byte[] value = new byte[256];
    private final int keys;
    private final long every;
    private long index;
    private long sinceCheck;

    Contestant(String name, RealDisk place, String home, int keys, long every) {
      this.name = name;
      this.keys = keys;
      this.every = every;
      machine =
          KvStateMachine.open(
              RocksHome.in(place.directory(home), RocksSettings.DEFAULT), StoreOptions.DEFAULT);
      for (int i = 0; i < keys; i += BATCH) {
        apply(i);
      }
    }

    void round(boolean counts) {
      long taken = 0;
      for (int done = 0; done < ROUND_PUTS; done += BATCH) {
        taken += apply(-1);
      }
      if (counts) {
        rates.add(ROUND_PUTS * 1e9 / taken);
      }
    }

    /** New keys from there on, or random ones; how long it took, in nanoseconds. */
    private long apply(int from) {
      List<Entry> entries = new ArrayList<>(BATCH);
      for (int i = 0; i < BATCH; i++) {
        int number = from < 0 ? random.nextInt(keys) : from + i;
        random.nextBytes(value);
        ByteString key = ByteString.copyFromUtf8("key-%08d".formatted(number));
        add(
            entries,
            Commands.put(key, ByteString.copyFrom(value), PutOptions.DEFAULT, Stamp.at(1)));
        if (every > 0 && ++sinceCheck >= every) {
          sinceCheck = 0;
          add(entries, Commands.check());
        }
      }
      long start = System.nanoTime();
      List<ApplyResult> unused = machine.apply(entries);
      return System.nanoTime() - start;
    }

    private void add(List<Entry> entries, byte[] command) {
      entries.add(new Entry(++index, 1, EntryType.COMMAND, command));
    }

    /** Round by round, since a slow moment of the machine is slow for all. */
    List<Double> ratios(Contestant other) {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < rates.size(); i++) {
        ratios.add(rates.get(i) / other.rates.get(i));
      }
      return ratios;
    }
  }

  private static void hashes() {
    byte[] key = new byte[12];
    for (int bytes : new int[] {32, 256, 4096}) {
      byte[] row = new byte[bytes];
      int count = (64 << 20) / (bytes + 64);
      List<Double> nanos = new ArrayList<>();
      StateHash sum = StateHash.ZERO;
      for (int round = 0; round < 8; round++) {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
          row[i & 15]++;
          sum = sum.plus(StateHash.ofRow(Table.REV, key, row));
        }
        nanos.add((System.nanoTime() - start) / (double) count);
      }
      Spread.of(nanos.subList(3, 8)).print("hash of a row of " + bytes + " bytes", "ns");
      if (sum.equals(StateHash.ZERO)) {
        throw new AssertionError("nothing was hashed");
      }
    }
  }
}
