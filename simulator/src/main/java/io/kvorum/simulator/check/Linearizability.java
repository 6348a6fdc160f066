package io.kvorum.simulator.check;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.testkit.linearizability.History;
import io.kvorum.testkit.linearizability.KvInput;
import io.kvorum.testkit.linearizability.KvModel;
import io.kvorum.testkit.linearizability.KvOutput;
import io.kvorum.testkit.linearizability.LinearizabilityChecker;
import io.kvorum.testkit.linearizability.Verdict;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What all clients saw can be explained by calls that each take effect at one instant between call
 * and return (Herlihy and Wing 1990): values, and the revisions of the store and of each key.
 *
 * <p>The clients are the only ones who write, so their calls are all the changes that the store has
 * seen. A range is a transaction on every key in it that anybody ever put.
 */
public final class Linearizability implements Checker {
  /** A call from its beginning to its end; times are numbers of events. */
  private static final class Call {
    private final SimEvent.Called called;
    private final long calledAt;
    private long returnedAt;
    private @Nullable ClientOutcome outcome;

    Call(SimEvent.Called called, long calledAt) {
      this.called = called;
      this.calledAt = calledAt;
    }
  }

  private static final Set<Compare.Target> OF_REVISIONS =
      EnumSet.of(Compare.Target.CREATE_REVISION, Compare.Target.MOD_REVISION);

  /** A run in a hundred thousand needs more, and would take longer than all others together. */
  private static final int CONFIGURATIONS_MAX = 1_000_000;

  /** Of any key: then nothing can be said. */
  private boolean keysEndByThemselves;

  /** Some changes of the store are not among the calls. */
  private boolean isAmongOthers;

  /** A transaction looks at revisions, which say nothing where not all changes are seen. */
  private boolean comparesRevisions;

  private final List<Call> calls = new ArrayList<>();
  private final Map<Long, Call> open = new HashMap<>();
  private final TreeSet<Bytes> keys = new TreeSet<>();

  /** Value to the revision at which somebody read that it was put. */
  private final Map<Bytes, Long> readAt = new HashMap<>();

  /** How often each value was put: only of one that was put once a read tells which put it saw. */
  private final Map<Bytes, Integer> timesPut = new HashMap<>();

  private @Nullable Verdict verdict;
  private long events;

  @Override
  public String name() {
    return "Linearizability";
  }

  /**
   * Whether the search for an order was given up: then nothing is known, neither good nor bad. Not
   * a violation, but to be counted and told.
   */
  public boolean isUndecided() {
    return verdict != null && verdict.outcome() == Verdict.Outcome.UNDECIDED;
  }

  /** Whether {@link #isUndecided} goes for one of these. */
  public static boolean isUndecided(List<? extends Checker> checkers) {
    return checkers.stream()
        .anyMatch(checker -> checker instanceof Linearizability one && one.isUndecided());
  }

  /** The verdict on the history; null before the end of the run. */
  public @Nullable Verdict verdict() {
    return verdict;
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.LeaseTold told) {
      // From here on the store changes, on keys beside, without a call that we see.
      isAmongOthers = true;
      keysEndByThemselves |= told.news() == SimEvent.LeaseNews.USED_BY_A_TEST;
    } else if (event instanceof SimEvent.OnceTold) {
      isAmongOthers = true;
    } else if (event instanceof SimEvent.Called called) {
      Call call = new Call(called, ++events);
      calls.add(call);
      open.put(called.operation(), call);
      if (called.call() instanceof ClientOperation.Put put) {
        keys.add(put.key());
        timesPut.merge(put.value(), 1, Integer::sum);
      } else if (called.call() instanceof ClientOperation.Transaction transaction) {
        transaction.branch(true).forEach(this::writes);
        transaction.branch(false).forEach(this::writes);
        comparesRevisions |=
            transaction.txn().compares().stream()
                .map(Compare::target)
                .anyMatch(OF_REVISIONS::contains);
      }
    } else if (event instanceof SimEvent.Returned returned) {
      Call call = open.remove(returned.operation());
      if (call != null) {
        call.outcome = returned.outcome();
        call.returnedAt = ++events;
      }
      if (returned.outcome() instanceof ClientOutcome.Done done) {
        done.keyValues().forEach(found -> readAt.putIfAbsent(found.value(), found.modRevision()));
      }
    }
  }

  private void writes(Op op) {
    if (op instanceof Op.Put put) {
      keys.add(put.key());
      timesPut.merge(put.value(), 1, Integer::sum);
    }
  }

  @Override
  public void atEnd() {
    if (keysEndByThemselves || (isAmongOthers && comparesRevisions)) {
      return;
    }
    KvModel model = isAmongOthers ? KvModel.amongOthers() : KvModel.alone();
    History<KvInput, KvOutput> history = new History<>();
    calls.forEach(call -> record(call, history));
    Verdict found =
        LinearizabilityChecker.of(model).withConfigurationsMax(CONFIGURATIONS_MAX).check(history);
    verdict = found;
    if (found.outcome() == Verdict.Outcome.VIOLATION) {
      throw new Violation(name(), found.text().strip());
    }
  }

  private void record(Call call, History<KvInput, KvOutput> history) {
    ClientOperation operation = call.called.call();
    if (operation instanceof ClientOperation.StaleGet) {
      // It does not promise that; BoundedStaleness has another look at it.
      return;
    }
    boolean happened =
        call.outcome instanceof ClientOutcome.Done
            || (!operation.onlyReads() && !(call.outcome instanceof ClientOutcome.Failed));
    if (!happened) {
      return;
    }
    ClientOutcome.Done done = call.outcome instanceof ClientOutcome.Done known ? known : null;
    String client = "c" + call.called.client();
    long id = history.call(client, input(operation, done), call.calledAt);
    if (done == null) {
      KvOutput seen = seenBySomebody(operation);
      if (seen != null) {
        // Somebody has read it: so it did happen, and at that revision. That saves much of a
        // search.
        history.returned(id, seen, events + 1);
      } else {
        history.unknown(id);
      }
    } else {
      history.returned(id, output(operation, done), call.returnedAt);
    }
  }

  /** What others have read of a call that nobody has heard of: null if nothing. */
  private @Nullable KvOutput seenBySomebody(ClientOperation operation) {
    if (operation instanceof ClientOperation.Put put) {
      Long revision = seenAt(put.value());
      return revision == null ? null : KvOutput.changed(revision);
    }
    if (operation instanceof ClientOperation.Transaction transaction) {
      Long succeeded = seenAt(transaction.branch(true));
      if (succeeded != null) {
        return KvOutput.decided(succeeded, true);
      }
      Long failed = seenAt(transaction.branch(false));
      return failed == null ? null : KvOutput.decided(failed, false);
    }
    return null;
  }

  private @Nullable Long seenAt(List<Op> branch) {
    for (Op op : branch) {
      Long revision = op instanceof Op.Put put ? seenAt(put.value()) : null;
      if (revision != null) {
        return revision;
      }
    }
    return null;
  }

  private @Nullable Long seenAt(Bytes value) {
    return timesPut.getOrDefault(value, 0) == 1 ? readAt.get(value) : null;
  }

  private KvInput input(ClientOperation operation, ClientOutcome.@Nullable Done done) {
    if (operation instanceof ClientOperation.Put put) {
      return new KvInput.Put(text(put.key()), text(put.value()));
    } else if (operation instanceof ClientOperation.Get get) {
      return new KvInput.Get(text(get.key()));
    } else if (operation instanceof ClientOperation.Delete delete) {
      return new KvInput.Delete(text(delete.key()));
    } else if (operation instanceof ClientOperation.DeleteRange delete) {
      List<KvInput.Single> parts = new ArrayList<>();
      if (done != null && done.deleted() == 0) {
        // It says that there was nothing: that can be checked, key by key.
        within(delete.range()).forEach(key -> parts.add(new KvInput.Get(text(key))));
      }
      within(delete.range()).forEach(key -> parts.add(new KvInput.Delete(text(key))));
      return KvInput.Txn.of(parts.toArray(KvInput.Single[]::new));
    } else if (operation instanceof ClientOperation.Range read) {
      return KvInput.Txn.of(
          within(read.range()).stream()
              .map(key -> new KvInput.Get(text(key)))
              .toArray(KvInput.Single[]::new));
    } else if (operation instanceof ClientOperation.Transaction transaction) {
      return Transactions.input(transaction.txn());
    }
    throw new AssertionError("unknown operation " + operation);
  }

  private KvOutput output(ClientOperation operation, ClientOutcome.Done done) {
    if (operation instanceof ClientOperation.Put) {
      return KvOutput.changed(done.revision());
    } else if (operation instanceof ClientOperation.Get get) {
      return KvOutput.found(done.revision(), found(List.of(get.key()), done).get(0));
    } else if (operation instanceof ClientOperation.Delete) {
      return KvOutput.decided(done.revision(), done.deleted() > 0);
    } else if (operation instanceof ClientOperation.DeleteRange delete) {
      List<KvOutput.Seen> seen =
          done.deleted() == 0 ? found(within(delete.range()), done) : List.of();
      return new KvOutput(done.revision(), null, seen);
    } else if (operation instanceof ClientOperation.Range read) {
      return new KvOutput(done.revision(), null, found(within(read.range()), done));
    } else if (operation instanceof ClientOperation.Transaction transaction) {
      return Transactions.output(transaction, done);
    }
    throw new AssertionError("unknown operation " + operation);
  }

  /** Its first key, and every other in it that anybody ever put, in order. */
  private List<Bytes> within(KeyRange range) {
    TreeSet<Bytes> within = new TreeSet<>();
    within.add(range.from());
    Bytes to = range.to();
    within.addAll(to == null ? keys.tailSet(range.from()) : keys.subSet(range.from(), to));
    return List.copyOf(within);
  }

  /** What was read of each of these keys. */
  private List<KvOutput.Seen> found(List<Bytes> asked, ClientOutcome.Done done) {
    Map<Bytes, KvOutput.Seen> seen = new TreeMap<>();
    asked.forEach(key -> seen.put(key, KvOutput.Seen.ABSENT));
    for (KeyValue found : done.keyValues()) {
      KvOutput.Seen before = seen.put(found.key(), seen(found));
      if (before == null || before.value() != null) {
        throw new Violation(
            name(), "a read found " + found + ", which it did not ask for, or found before");
      }
    }
    return List.copyOf(seen.values());
  }

  static KvOutput.Seen seen(KeyValue found) {
    return new KvOutput.Seen(
        text(found.value()), found.createRevision(), found.modRevision(), found.version());
  }

  static String text(Bytes bytes) {
    return bytes.toString();
  }
}
