package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What clients do: each caller makes one call after another, drawn from its own stream, and every
 * value is written once in a run.
 */
final class Workload {
  private static final long STALE_NANOS_MAX = 2_000_000_000L;

  private final World world;
  private final SimOptions options;
  private int called;
  private int pending;
  private long lastOperation;
  private boolean over;

  Workload(World world) {
    this.world = world;
    this.options = world.options();
  }

  /** One thread of a client's application. */
  private final class Caller {
    private final SimClient client;
    private final int number;
    private final SplittableRandom random;
    private final Map<Bytes, Long> lastSeen = new HashMap<>();
    private int written;

    Caller(SimClient client, int number) {
      this.client = client;
      this.number = number;
      this.random = world.streams().of("caller " + number);
    }

    void think() {
      long nanos = random.nextLong(Math.max(1, options.tuning().thinkNanosMax()));
      world.time().after(nanos, this::callNext);
    }

    private void callNext() {
      if (!over && called < options.operationsMax()) {
        called++;
        call(client, number, draw(), this::ended);
      }
    }

    private void ended(ClientOutcome outcome) {
      if (outcome instanceof ClientOutcome.Done done) {
        done.keyValues().forEach(found -> lastSeen.put(found.key(), found.modRevision()));
      }
      think();
    }

    private ClientOperation draw() {
      Bytes key = key(random.nextInt(options.keys()));
      int kind = random.nextInt(22);
      if (kind < 8) {
        return new ClientOperation.Put(key, value());
      }
      if (kind < 15) {
        return read(key);
      }
      if (kind < 17) {
        return new ClientOperation.Delete(key);
      }
      if (kind >= 20) {
        return new ClientOperation.Transaction(txn(key));
      }
      KeyRange range = random.nextInt(4) == 0 ? KeyRange.all() : range();
      return kind < 19 ? new ClientOperation.Range(range) : new ClientOperation.DeleteRange(range);
    }

    private ClientOperation read(Bytes key) {
      int how = random.nextInt(4);
      if (how == 0) {
        NodeId member = new NodeId("n" + (1 + random.nextInt(options.nodes())));
        return new ClientOperation.StaleGet(key, member, random.nextLong(STALE_NANOS_MAX));
      }
      return new ClientOperation.Get(key, how == 1 || options.tuning().leaseReads());
    }

    /**
     * Changes two keys if the first one is as expected, often by what this caller saw of it last;
     * reads both, or changes one, otherwise.
     */
    private Txn txn(Bytes key) {
      Bytes other = key(random.nextInt(options.keys()));
      Compare compare =
          switch (random.nextInt(4)) {
            case 0 -> Compare.version(key).isLessThan(1 + random.nextInt(3));
            case 1 -> Compare.createRevision(key).isNotEqualTo(0);
            default -> Compare.modRevision(key).isEqualTo(lastSeen.getOrDefault(key, 0L));
          };
      Txn txn = Txn.when(compare).then(Op.put(key, value()));
      if (!other.equals(key)) {
        txn = txn.then(random.nextBoolean() ? Op.put(other, value()) : Op.delete(other));
        txn = txn.then(Op.get(other));
      }
      return random.nextInt(4) == 0
          ? txn.otherwise(Op.put(other, value()), Op.get(key))
          : txn.otherwise(Op.get(key));
    }

    private KeyRange range() {
      int from = random.nextInt(options.keys());
      return KeyRange.of(key(from), key(from + 1 + random.nextInt(options.keys() - from)));
    }

    private Bytes value() {
      String unique = "c" + number + "-" + written++;
      int filled = random.nextInt(Math.max(1, options.tuning().valueBytesMax()));
      return Bytes.utf8(unique + ".".repeat(Math.max(0, filled - unique.length())));
    }
  }

  /** Of all keys, in this order. */
  static Bytes key(int number) {
    return Bytes.utf8("k" + (100 + number));
  }

  /** All clients start to call. */
  void begin(List<SimClient> clients) {
    int number = 0;
    for (SimClient client : clients) {
      for (int i = 0; i < options.tuning().pipeline(); i++) {
        new Caller(client, number++).think();
      }
    }
  }

  /** No caller calls again. */
  void end() {
    over = true;
  }

  /** Calls that have not returned. */
  int pending() {
    return pending;
  }

  /** Somebody else begins a call, which has to end as all do: its number. */
  long callBegins() {
    pending++;
    return ++lastOperation;
  }

  /** A call that somebody else has begun has ended. */
  void callEnds() {
    pending--;
  }

  /** One call, written down from its beginning to its end. */
  void call(SimClient client, int caller, ClientOperation call, Consumer<ClientOutcome> then) {
    long operation = ++lastOperation;
    pending++;
    Journal journal = world.journal();
    journal.tell(new SimEvent.Called(journal.now(), caller, operation, call));
    CompletableFuture<ClientOutcome.Done> done;
    try {
      done = start(client.client(), call);
    } catch (RuntimeException unexpected) {
      journal.violated("NoClientFails", "at " + call + ": " + Texts.of(unexpected));
      return;
    }
    boolean[] ended = new boolean[1];
    var unused =
        done.whenComplete(
            (result, failure) -> {
              if (ended[0]) {
                journal.violated("EachCallEndsOnce", call + " has ended twice");
                return;
              }
              ended[0] = true;
              pending--;
              ClientOutcome outcome = failure == null ? result : outcome(call, failure);
              journal.tell(new SimEvent.Returned(journal.now(), caller, operation, outcome));
              then.accept(outcome);
            });
  }

  /** What a failed call lets its caller conclude. */
  ClientOutcome outcome(Object call, Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String text = String.valueOf(cause.getMessage());
    if (cause instanceof KvException.Unavailable || cause instanceof KvException.Rejected) {
      return new ClientOutcome.Failed(text);
    }
    if (!(cause instanceof KvException.OutcomeUnknown)) {
      world.journal().violated("NoClientFails", "at " + call + ": " + Texts.of(cause));
    }
    return new ClientOutcome.Unknown(text);
  }

  private CompletableFuture<ClientOutcome.Done> start(RemoteKvClient client, ClientOperation call) {
    if (call instanceof ClientOperation.Put put) {
      return client
          .put(put.key(), put.value(), PutOptions.DEFAULT)
          .thenApply(result -> done(result.header().revision(), 0));
    }
    if (call instanceof ClientOperation.Get get) {
      return client
          .get(
              get.key(),
              get.lease()
                  ? GetOptions.DEFAULT.withConsistency(ReadConsistency.LEASE)
                  : GetOptions.DEFAULT)
          .thenApply(Workload::found);
    }
    if (call instanceof ClientOperation.StaleGet get) {
      ReadConsistency bound = ReadConsistency.boundedStaleness(Duration.ofNanos(get.boundNanos()));
      return client
          .get(
              World.endpoint(world.machine(get.member())),
              get.key(),
              GetOptions.DEFAULT.withConsistency(bound))
          .thenApply(Workload::found);
    }
    if (call instanceof ClientOperation.Delete delete) {
      return client
          .delete(delete.key(), DeleteOptions.DEFAULT)
          .thenApply(result -> done(result.header().revision(), result.deleted()));
    }
    if (call instanceof ClientOperation.DeleteRange delete) {
      return client
          .deleteRange(delete.range(), DeleteOptions.DEFAULT)
          .thenApply(result -> done(result.header().revision(), result.deleted()));
    }
    if (call instanceof ClientOperation.Range range) {
      return client
          .range(range.range(), RangeOptions.DEFAULT)
          .thenApply(
              result -> new ClientOutcome.Done(result.header().revision(), 0, result.keyValues()));
    }
    if (call instanceof ClientOperation.Transaction transaction) {
      return client.txn(transaction.txn(), TxnOptions.DEFAULT).thenApply(ClientOutcome.Done::of);
    }
    throw new AssertionError("unknown operation " + call);
  }

  private static ClientOutcome.Done found(GetResult result) {
    return new ClientOutcome.Done(
        result.header().revision(), 0, result.keyValue().stream().toList());
  }

  private static ClientOutcome.Done done(long revision, long deleted) {
    return new ClientOutcome.Done(revision, deleted, List.of());
  }

  /** The newest outcome of a call that is made for its outcome. */
  static final class Answer implements Consumer<ClientOutcome> {
    private @Nullable ClientOutcome outcome;

    @Override
    public void accept(ClientOutcome ended) {
      outcome = ended;
    }

    @Nullable ClientOutcome outcome() {
      return outcome;
    }
  }
}
