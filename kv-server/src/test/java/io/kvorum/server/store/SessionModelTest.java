package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.Header;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Numbered commands and idempotency keys against a naive model that remembers everything: commands
 * that come again, late, and in any order; sessions that end; restarts and crashes at any time.
 */
class SessionModelTest {
  private static final Bytes COUNTER = Bytes.utf8("n");

  /** What a command does: adds so much; 0: is refused. */
  record Command(int session, int sequence, int below, int key, int adds) implements Step {}

  record OpenSession() implements Step {}

  record EndSession(int session) implements Step {}

  record EndRecord(int key) implements Step {}

  record Crash(int batch) implements Step {}

  record Reopen() implements Step {}

  /**
   * The state goes to another store by a snapshot.
   *
   * @param beginning entries that the other one has applied
   */
  record Install(int beginning) implements Step {}

  /** One thing that happens. */
  sealed interface Step
      permits Command, OpenSession, EndSession, EndRecord, Crash, Reopen, Install {}

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void theStoreOnTheHeapIsTheModel(
      @ForAll("steps") List<Step> steps, @ForAll("options") StoreOptions options) {
    new Run(() -> new MemoryHome(1), options).run(steps);
  }

  @Property(tries = 10, edgeCases = EdgeCasesMode.NONE)
  void theStoreOnRocksIsTheModel(
      @ForAll("steps") List<Step> steps, @ForAll("options") StoreOptions options)
      throws IOException {
    Path directory = Files.createTempDirectory("kvorum-store");
    AtomicInteger homes = new AtomicInteger();
    try {
      new Run(() -> Medium.rocks(directory.resolve("db" + homes.incrementAndGet())), options)
          .run(steps);
    } finally {
      TestFiles.delete(directory);
    }
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> sessions = Arbitraries.integers().between(0, 3);
    Arbitrary<Integer> keys = Arbitraries.of(0, 0, 0, 1, 2);
    Arbitrary<Step> commands =
        Combinators.combine(
                sessions,
                Arbitraries.integers().between(0, 9),
                Arbitraries.integers().between(0, 9),
                keys,
                Arbitraries.of(0, 1, 1, 2))
            .as(Command::new);
    return Arbitraries.frequencyOf(
            Tuple.of(20, commands),
            Tuple.of(2, Arbitraries.just(new OpenSession())),
            Tuple.of(1, sessions.map(EndSession::new)),
            Tuple.of(1, keys.map(EndRecord::new)),
            Tuple.of(2, Arbitraries.integers().between(1, 5).map(Crash::new)),
            Tuple.of(1, Arbitraries.just(new Reopen())),
            Tuple.of(1, Arbitraries.integers().between(0, 80).map(Install::new)))
        .list()
        .ofMinSize(10)
        .ofMaxSize(80);
  }

  @Provide
  Arbitrary<StoreOptions> options() {
    return Script.options();
  }

  /** A session as the model remembers it. */
  private static final class Remembered {
    private final long id;
    private final Map<Integer, ApplyResult> results = new HashMap<>();
    private int floor = 1;
    private boolean isOver;

    Remembered(long id) {
      this.id = id;
    }
  }

  private record Kept(int adds, ApplyResult result) {}

  private static final class Run {
    private final Supplier<? extends TablesHome> homes;
    private final SessionLab lab;
    private final List<Remembered> sessions = new ArrayList<>();
    private final Map<Integer, Kept> records = new HashMap<>();
    private long counter;
    private long revision = 1;

    Run(Supplier<? extends TablesHome> homes, StoreOptions options) {
      this.homes = homes;
      lab = new SessionLab(homes.get(), options);
    }

    void run(List<Step> steps) {
      sessions.add(new Remembered(lab.open()));
      steps.forEach(this::step);
      lab.crash(3);
      lab.checkAgainstFullLog();
      lab.reopen();
      lab.checkAgainstFullLog();
      lab.machine().close();
    }

    private void step(Step step) {
      if (step instanceof Command command) {
        ApplyResult expected = expected(command);
        ApplyResult actual = lab.apply(encoded(command));
        assertThat(withoutWords(actual)).isEqualTo(expected);
      } else if (step instanceof OpenSession) {
        sessions.add(new Remembered(lab.open()));
      } else if (step instanceof EndSession end && end.session() < sessions.size()) {
        Remembered session = sessions.get(end.session());
        var unused = lab.expire(session.id);
        session.isOver = true;
      } else if (step instanceof EndRecord end && records.remove(end.key()) != null) {
        endAllRecords();
      } else if (step instanceof Crash crash) {
        lab.crash(crash.batch());
      } else if (step instanceof Reopen) {
        lab.reopen();
      } else if (step instanceof Install install) {
        lab.install(homes.get(), install.beginning());
      }
    }

    private void endAllRecords() {
      for (long lease : lab.machine().leaseIds(LeaseKind.IDEMPOTENCY)) {
        var unused = lab.expire(lease);
      }
      records.clear();
    }

    private byte[] encoded(Command command) {
      Stamp stamp = Stamp.at(0);
      if (command.session() > 0) {
        long id = isKnown(command) ? sessions.get(command.session() - 1).id : 4711;
        stamp = stamp.withNumber(id, command.sequence(), command.below());
      }
      if (command.key() > 0) {
        stamp = stamp.withIdempotency(ByteString.copyFromUtf8("key" + command.key()), 5_000);
      }
      return command.adds() == 0
          ? Commands.put(
              ByteString.copyFromUtf8("nothing"),
              ByteString.EMPTY,
              PutOptions.DEFAULT.withKeepLease(),
              stamp)
          : Commands.txn(Txn.of(Op.add(COUNTER, command.adds())), stamp);
    }

    private boolean isKnown(Command command) {
      return command.session() <= sessions.size();
    }

    private ApplyResult expected(Command command) {
      if (command.session() == 0) {
        return underKey(command);
      }
      if (command.sequence() == 0 || command.below() > command.sequence()) {
        return rejected(Reason.INVALID_ARGUMENT);
      }
      if (!isKnown(command) || sessions.get(command.session() - 1).isOver) {
        return rejected(Reason.SESSION_EXPIRED);
      }
      Remembered session = sessions.get(command.session() - 1);
      if (command.sequence() < session.floor) {
        return rejected(Reason.INVALID_ARGUMENT);
      }
      session.floor = Math.max(session.floor, command.below());
      ApplyResult first = session.results.get(command.sequence());
      if (first != null) {
        return new ApplyResult.Repeated(header(), first);
      }
      ApplyResult result = underKey(command);
      session.results.put(command.sequence(), result.first());
      return result;
    }

    private ApplyResult underKey(Command command) {
      Kept kept = command.key() == 0 ? null : records.get(command.key());
      if (kept != null) {
        return kept.adds() == command.adds()
            ? new ApplyResult.Repeated(header(), kept.result())
            : rejected(Reason.IDEMPOTENCY_KEY_REUSED);
      }
      if (command.adds() == 0) {
        return rejected(Reason.KEY_NOT_FOUND);
      }
      counter += command.adds();
      revision++;
      List<OpResult> results = List.of(new OpResult.Add(counter));
      ApplyResult result = new ApplyResult.TxnApplied(new TxnResult(header(), true, results));
      if (command.key() != 0) {
        records.put(command.key(), new Kept(command.adds(), result));
      }
      return result;
    }

    private ApplyResult rejected(Reason reason) {
      return new ApplyResult.Rejected(header(), new Refusal(reason, ""));
    }

    private Header header() {
      return new Header(revision, 1, lab.nextIndex(), 0);
    }
  }

  private static ApplyResult withoutWords(ApplyResult result) {
    return result instanceof ApplyResult.Repeated repeated
        ? new ApplyResult.Repeated(repeated.header(), ScriptedStore.withoutWords(repeated.first()))
        : ScriptedStore.withoutWords(result);
  }
}
