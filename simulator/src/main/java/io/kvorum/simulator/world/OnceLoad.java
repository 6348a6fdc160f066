package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.server.store.LeaseKind;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.OnceNews;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Writers whose every write can be found again: it counts, and adds a token of its own at the end
 * of a log, both at once. So what took effect is in the log, as often as it did, at the place that
 * the counter told its writer.
 *
 * <p>Some writes have an idempotency key: another client, as the next process of the same writer,
 * repeats them. And now and then somebody ends a session under its client.
 */
final class OnceLoad {
  private static final int WRITERS_MAX = 3;
  private static final int LOGS = 2;
  private static final int BURST_MAX = 4;
  private static final int SPREAD_TIMES = 12;
  private static final long SPREAD_NANOS_MAX = 800_000;
  private static final int REPEATS_MAX = 5;
  private static final int TOKENS_MAX = 400;
  private static final long MILLI_NANOS = 1_000_000;
  private static final Duration KEY_TTL = Duration.ofHours(1);

  private final World world;
  private final SplittableRandom random;
  private final int writers;
  private final boolean endsSessions;
  private final boolean isSpread;
  private final long thinkMillisMax;
  private final boolean[] isRead = new boolean[LOGS];
  private List<SimClient> clients = List.of();
  private long lastToken;
  private boolean over;

  /** Where the store changes by itself already, revisions are compared by nobody. */
  OnceLoad(World world, boolean isPossible) {
    this.world = world;
    this.random = world.streams().of("once");
    this.writers = isPossible ? random.nextInt(1 + WRITERS_MAX) : 0;
    this.endsSessions = random.nextBoolean();
    this.isSpread = world.streams().of("once-spread").nextBoolean();
    this.thinkMillisMax = 50L << random.nextInt(5);
  }

  /** The writers begin. */
  void begin(List<SimClient> all) {
    clients = all;
    for (int i = 0; i < writers; i++) {
      SimClient client = all.get(i % all.size());
      think(random.split(), thinkMillisMax, chance -> write(client, chance));
    }
    if (writers > 0 && endsSessions) {
      think(random.split(), 8_000, this::endSession);
    }
  }

  /** Nobody begins anything any more. */
  void end() {
    over = true;
  }

  private interface Act {
    void act(SplittableRandom chance);
  }

  private void think(SplittableRandom chance, long millisMax, Act then) {
    after((1 + chance.nextLong(millisMax)) * MILLI_NANOS, () -> then.act(chance));
  }

  private void after(long nanos, Runnable act) {
    world
        .time()
        .after(
            nanos,
            () -> {
              if (!over) {
                act.run();
              }
            });
  }

  /** Several at once, or soon after each other: they have to take effect in this order. */
  private void write(SimClient client, SplittableRandom chance) {
    int burst = 1 + chance.nextInt(BURST_MAX);
    int log = chance.nextInt(LOGS);
    if (isSpread) {
      // What is under way when a member begins to lead, or leads again, is refused and taken.
      writeNext(client, log, SPREAD_TIMES * burst, chance.split());
    } else {
      for (int i = 0; i < burst; i++) {
        begin(client, log, chance);
      }
    }
    think(chance, thinkMillisMax, next -> write(client, next));
  }

  private void writeNext(SimClient client, int log, int burst, SplittableRandom chance) {
    begin(client, log, chance);
    if (burst > 1) {
      long nanos = 1 + chance.nextLong(SPREAD_NANOS_MAX);
      after(nanos, () -> writeNext(client, log, burst - 1, chance));
    }
  }

  private void begin(SimClient client, int log, SplittableRandom chance) {
    if (lastToken < TOKENS_MAX) {
      Write write = new Write(log, ++lastToken, chance.split());
      boolean isOrdered = client.hasSession() && write.options.equals(TxnOptions.DEFAULT);
      tell(OnceNews.BEGUN, log, write.token, isOrdered ? 1 + client.number() : 0);
      write.send(client);
    }
  }

  /** One write, with all its repetitions. */
  private final class Write {
    private final int log;
    private final long token;
    private final SplittableRandom chance;
    private final TxnOptions options;
    private final @Nullable Bytes gate;
    private boolean isOpen;
    private int repeats;

    Write(int log, long token, SplittableRandom chance) {
      this.log = log;
      this.token = token;
      this.chance = chance;
      this.options =
          chance.nextInt(3) == 0
              ? TxnOptions.DEFAULT.withIdempotencyKey(Bytes.utf8("once-" + token), KEY_TTL)
              : TxnOptions.DEFAULT;
      boolean isGated = isKeyed() && chance.nextInt(3) == 0;
      this.gate = isGated ? Bytes.utf8("~once-gate-" + token) : null;
    }

    private boolean isKeyed() {
      return options.idempotencyKey().isPresent();
    }

    void send(SimClient client) {
      byte[] written = ByteBuffer.allocate(Long.BYTES).putLong(token).array();
      Txn txn = Txn.of(Op.add(counter(log), 1), Op.append(log(log), Bytes.wrapUnsafe(written)));
      if (gate != null) {
        // Refused until the key is there.
        txn = txn.then(Op.put(gate, Bytes.EMPTY, PutOptions.DEFAULT.withKeepValue()));
      }
      world.workload().callBegins();
      var unused =
          client
              .client()
              .txn(txn, options)
              .whenComplete(
                  (result, failure) -> {
                    world.workload().callEnds();
                    ended(result, failure);
                  });
    }

    private void ended(@Nullable TxnResult result, @Nullable Throwable failure) {
      if (gate != null && !isOpen && isRejected(failure)) {
        open(gate);
        return;
      }
      if (result != null) {
        tell(OnceNews.ANSWERED, log, token, ((OpResult.Add) result.results().get(0)).value());
      } else if (!isUnknown(failure) && !isKeyed()) {
        tell(OnceNews.FAILED, log, token, 0);
      }
      if (isKeyed() && repeats++ < REPEATS_MAX && (result == null || chance.nextBoolean())) {
        SimClient next = clients.get(chance.nextInt(clients.size()));
        think(chance, 2_000, again -> send(next));
      }
    }

    /** From now on nothing refuses it, nor remembers that it was refused. */
    private void open(Bytes refusing) {
      SimClient next = clients.get(chance.nextInt(clients.size()));
      world.workload().callBegins();
      var unused =
          next.client()
              .put(refusing, Bytes.EMPTY)
              .whenComplete(
                  (result, failure) -> {
                    world.workload().callEnds();
                    isOpen = result != null;
                    think(chance, 500, again -> send(next));
                  });
    }
  }

  private static @Nullable Throwable cause(@Nullable Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private static boolean isRejected(@Nullable Throwable failure) {
    return cause(failure) instanceof KvException.Rejected;
  }

  private boolean isUnknown(@Nullable Throwable failure) {
    Throwable cause = cause(failure);
    if (cause == null) {
      throw new AssertionError("a call ends with a result or a failure");
    }
    boolean isRejected = isRejected(cause) && !world.quotaLoad().explains(cause);
    if (!(cause instanceof KvException) || isRejected) {
      world
          .journal()
          .violated(
              "NoClientFails", "a write of a token, which nothing refuses: " + Texts.of(cause));
    }
    return cause instanceof KvException.OutcomeUnknown;
  }

  /** As an operator who wants a client to stop. */
  private void endSession(SplittableRandom chance) {
    Machine machine = world.machines().get(chance.nextInt(world.machines().size()));
    NodeProcess process = machine.process();
    if (process != null && process.isOpen()) {
      List<Long> sessions = process.store().leaseIds(LeaseKind.SESSION);
      if (!sessions.isEmpty()) {
        long session = sessions.get(chance.nextInt(sessions.size()));
        world.workload().callBegins();
        var unused =
            clients
                .get(chance.nextInt(clients.size()))
                .client()
                .leases()
                .revoke(session)
                .whenComplete((result, failure) -> world.workload().callEnds());
      }
    }
    think(chance, 8_000, this::endSession);
  }

  /** Reads what has taken effect, in the end; again if that fails. */
  void readAll(SimClient probe) {
    for (int log = 0; log < LOGS && writers > 0; log++) {
      read(probe, log);
    }
  }

  /** Whether all was read. */
  boolean isAllRead() {
    return writers == 0 || (isRead[0] && isRead[1]);
  }

  private void read(SimClient probe, int log) {
    world.workload().callBegins();
    var unused =
        probe
            .client()
            .txn(Txn.of(Op.get(counter(log)), Op.get(log(log))))
            .whenComplete(
                (result, failure) -> {
                  world.workload().callEnds();
                  if (result == null) {
                    read(probe, log);
                  } else {
                    isRead[log] = true;
                    found(log, value(result, 0), value(result, 1));
                  }
                });
  }

  private static ByteBuffer value(TxnResult result, int at) {
    return ((OpResult.Range) result.results().get(at))
        .keyValue()
        .map(found -> found.value().asByteBuffer())
        .orElseGet(() -> ByteBuffer.allocate(0));
  }

  private void found(int log, ByteBuffer counter, ByteBuffer tokens) {
    for (int place = 1; tokens.remaining() >= Long.BYTES; place++) {
      tell(OnceNews.FOUND, log, tokens.getLong(), place);
    }
    tell(OnceNews.COUNTED, log, 0, counter.hasRemaining() ? counter.getLong() : 0);
  }

  private void tell(OnceNews news, int log, long token, long place) {
    long now = world.journal().now();
    world.journal().tell(new SimEvent.OnceTold(now, news, log, token, place));
  }

  private static Bytes counter(int log) {
    return Bytes.utf8("~once-" + log + "-count");
  }

  private static Bytes log(int log) {
    return Bytes.utf8("~once-" + log + "-log");
  }
}
