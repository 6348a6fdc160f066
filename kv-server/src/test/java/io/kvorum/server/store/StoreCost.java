package io.kvorum.server.store;

import com.google.protobuf.ByteString;
import io.kvorum.api.PutOptions;
import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.node.StateMachine.Checkpoint;
import io.kvorum.node.StateMachine.Written;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;

/**
 * Measures what puts cost the state machine, how long they wait while a snapshot is taken, and how
 * long it takes to install one, with a million keys on RocksDB. Not a test; it prints a line for
 * each.
 */
final class StoreCost {
  private static final int KEYS = 1_000_000;
  private static final int BATCH = 1_000;
  private static final byte[] VALUE = new byte[256];

  private final RealDisk place;
  private final SplittableRandom random = new SplittableRandom(1);
  private final KvStateMachine machine;
  private long index;

  private StoreCost(RealDisk place) {
    this.place = place;
    this.machine = KvStateMachine.open(home("a"), StoreOptions.DEFAULT);
    random.nextBytes(VALUE);
  }

  private RocksHome home(String name) {
    return RocksHome.in(place.directory(name), RocksSettings.DEFAULT);
  }

  /** Takes no arguments. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Files.createTempDirectory("kvorum-store-cost");
    try {
      StoreCost cost = new StoreCost(RealDisk.at(directory));
      cost.rate("new keys", KEYS, i -> i);
      cost.rate("random keys", KEYS, i -> cost.random.nextInt(KEYS));
      cost.rate("1,000 hot keys", KEYS, i -> cost.random.nextInt(1_000));
      cost.snapshot();
      cost.machine.close();
    } finally {
      TestFiles.delete(directory);
    }
  }

  private void rate(String what, int puts, LongUnaryOperator keys) {
    long taken = 0;
    for (int done = 0; done < puts; done += BATCH) {
      taken += apply(BATCH, keys);
    }
    System.out.printf("%s: %,.0f puts a second%n", what, puts * 1e9 / taken);
  }

  /** How long it took, in nanoseconds. */
  private long apply(int puts, LongUnaryOperator keys) {
    List<Entry> entries = new ArrayList<>(puts);
    for (int i = 0; i < puts; i++) {
      ByteString key = ByteString.copyFromUtf8("key-%08d".formatted(keys.applyAsLong(index)));
      VALUE[i & 0xff]++;
      byte[] command =
          Commands.put(key, ByteString.copyFrom(VALUE), PutOptions.DEFAULT, Stamp.at(1));
      entries.add(new Entry(++index, 1, EntryType.COMMAND, command));
    }
    long start = System.nanoTime();
    List<ApplyResult> unused = machine.apply(entries);
    return System.nanoTime() - start;
  }

  private void snapshot() {
    print("batches of 100, alone", applyUntil(new CompletableFuture<>(), 2_000));
    Disk files = place.directory("files");
    long start = System.nanoTime();
    Checkpoint checkpoint = machine.checkpoint();
    System.out.printf("checkpoint(), on the apply lane: %.1f ms%n", millis(start));
    long began = System.nanoTime();
    CompletableFuture<Written> written =
        CompletableFuture.supplyAsync(() -> checkpoint.writeTo(files));
    long[] nanos = applyUntil(written, Integer.MAX_VALUE);
    System.out.printf("writeTo(), beside it: %.1f ms%n", millis(began));
    print("batches of 100, meanwhile", nanos);
    KvStateMachine other = KvStateMachine.open(home("b"), StoreOptions.DEFAULT);
    long install = System.nanoTime();
    other.install(files, written.join().meta());
    System.out.printf("install(): %.1f ms%n", millis(install));
    long scan = System.nanoTime();
    StateHash hash = RowSum.of(other.tables());
    System.out.printf("of it, hashing all rows: about %.1f ms (%s)%n", millis(scan), hash);
    other.close();
  }

  private long[] applyUntil(CompletableFuture<?> done, int most) {
    List<Long> nanos = new ArrayList<>();
    while (!done.isDone() && nanos.size() < most) {
      nanos.add(apply(100, i -> random.nextInt(KEYS)));
    }
    return nanos.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  private static double millis(long since) {
    return (System.nanoTime() - since) / 1e6;
  }

  private static void print(String what, long[] sorted) {
    int count = sorted.length;
    System.out.printf(
        "%s: %d, median %.2f ms, 99 %% below %.2f ms, longest %.2f ms, %.0f ms in all%n",
        what,
        count,
        sorted[count / 2] / 1e6,
        sorted[count * 99 / 100] / 1e6,
        sorted[count - 1] / 1e6,
        Arrays.stream(sorted).sum() / 1e6);
  }
}
