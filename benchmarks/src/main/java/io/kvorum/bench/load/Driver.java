package io.kvorum.bench.load;

import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.Values;
import io.kvorum.node.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * A closed loop: so many clients, each with one call under way, the next as soon as that has ended.
 * What ends within the measured time counts, with the time from its call.
 *
 * <p>Closed means that a slow system is asked less: the latencies are those at this number of calls
 * under way, not at a given rate.
 */
final class Driver {
  private static final long END_LIMIT_SECONDS = 60;

  private final Store store;
  private final List<Key> keys;
  private final Values values;
  private final Writes writes;
  private final Clock clock;
  private final Path proc;
  private final Told told;
  private boolean watching;

  /**
   * @param keys all of which were put
   * @param proc where the kernel shows its processes
   */
  Driver(Store store, List<Key> keys, Values values, Writes writes, Clock clock, Path proc) {
    this.store = store;
    this.keys = List.copyOf(keys);
    this.values = values;
    this.writes = writes;
    this.clock = clock;
    this.proc = proc;
    this.told = new Told(this.keys, values);
  }

  /** Runs the load and returns what was measured, when its last call has ended. */
  Outcome run(Point point) throws Exception {
    if (point.clients() > keys.size()) {
      throw new IllegalArgumentException("each client needs a key of its own");
    }
    if (point.workload() == Workload.WATCH && !watching) {
      store.watch(told);
      watching = true;
    }
    LongAdder staleReads = new LongAdder();
    LoadClient.Shared shared =
        new LoadClient.Shared(point, store, keys, values, writes, told, staleReads);
    Measurement measurement = new Measurement(clock);
    List<ClientLoop> loops = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(point.seed());
    for (int i = 0; i < point.clients(); i++) {
      loops.add(new ClientLoop(new LoadClient(shared, i, random.split()), measurement, clock));
    }
    loops.forEach(ClientLoop::start);
    pass(point.warmUpMillis());
    return measured(point, measurement, loops, staleReads);
  }

  private Outcome measured(
      Point point, Measurement measurement, List<ClientLoop> loops, LongAdder staleReads)
      throws IOException, InterruptedException {
    List<Long> self = List.of(ProcessHandle.current().pid());
    Usage serversBefore = Usage.of(proc, point.pids());
    long writtenBefore = point.device().writtenBytes(proc);
    Usage clientBefore = Usage.of(proc, self);
    measurement.begin();
    pass(point.measuredMillis());
    measurement.end();
    Usage servers = Usage.of(proc, point.pids()).since(serversBefore);
    long written = point.device().writtenBytes(proc) - writtenBefore;
    Usage client = Usage.of(proc, self).since(clientBefore);
    stop(loops);
    return new Outcome(
        measurement.operations(),
        measurement.failures(),
        staleReads.sum(),
        measurement.nanos(),
        measurement.latencies(),
        servers,
        written,
        client.cpuMicros());
  }

  private static void stop(List<ClientLoop> loops) throws InterruptedException {
    CompletableFuture<?>[] ends =
        loops.stream().map(ClientLoop::stop).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(ends).get(END_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      long open = loops.stream().filter(loop -> !loop.hasEnded()).count();
      throw new IllegalStateException(
          open + " calls did not end within " + END_LIMIT_SECONDS + " s", late);
    } catch (ExecutionException bug) {
      throw new IllegalStateException("a loop failed", bug);
    }
  }

  private static void pass(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }
}
