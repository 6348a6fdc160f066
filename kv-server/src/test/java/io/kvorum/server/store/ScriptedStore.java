package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.TxnResult;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.DeleteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A store and the model beside it: runs a script on both and compares whatever can be seen. */
final class ScriptedStore {
  private final Supplier<? extends TablesHome> homes;
  private final StoreOptions options;
  private final ModelStore model = new ModelStore();
  private final List<Entry> log = new ArrayList<>();
  private final List<ApplyResult> expected = new ArrayList<>();
  private final ScriptedLeases leases = new ScriptedLeases(model);

  /** Applies the same log, and nothing ever happens to it. */
  private final KvStateMachine sheltered =
      KvStateMachine.open(new MemoryHome(0), StoreOptions.DEFAULT);

  private TablesHome home;
  private KvStateMachine machine;
  private CompactionStep removal;
  private long term = 1;

  /**
   * @param homes a new one each time
   */
  ScriptedStore(Supplier<? extends TablesHome> homes, StoreOptions options) {
    this.homes = homes;
    this.options = options;
    this.home = homes.get();
    this.machine = KvStateMachine.open(home, options);
    assertThat(machine.restored().index()).isZero();
  }

  void run(List<Script.Step> steps) {
    steps.forEach(this::step);
    applyAll();
    checkHistory();
    step(new Script.Crash(3));
    checkHistory();
    step(new Script.Reopen());
    checkHistory();
    removeAll();
    checkHistory();
    checkTables();
    machine.close();
  }

  private void step(Script.Step step) {
    if (step instanceof Script.Put put) {
      Bytes value = Script.value(put.valueBytes(), log.size());
      PutOptions how = new PutOptions(put.previous(), false, 0, false);
      propose(EntryType.COMMAND, Commands.put(put.key(), value, how, put.time()));
      expected.add(model.put(put.key(), value, put.previous(), term, put.time()));
    } else if (step instanceof Script.Delete delete) {
      DeleteOptions how = new DeleteOptions(delete.previous());
      propose(EntryType.COMMAND, Commands.deleteRange(delete.range(), how, delete.time()));
      expected.add(model.delete(delete.range(), delete.previous(), term, delete.time()));
    } else if (step instanceof Script.Transaction txn) {
      propose(EntryType.COMMAND, Commands.txn(txn.txn(), txn.time()));
      expected.add(model.txn(txn.txn(), term, txn.time()));
    } else if (step instanceof Script.Compact compact) {
      long revision = past(compact.past());
      propose(EntryType.COMMAND, Commands.compact(revision, 0));
      expected.add(model.compact(revision, term));
    } else if (step instanceof Script.Quota quota) {
      propose(EntryType.COMMAND, Commands.quota(quota.bytes(), 0));
      expected.add(model.setQuota(quota.bytes(), term));
    } else if (leases.step(step, term, log.size() + 1L)) {
      propose(EntryType.COMMAND, leases.command());
      expected.add(leases.expected());
    } else if (step instanceof Script.NoOp noOp) {
      term += noOp.nextTerm() ? 1 : 0;
      propose(EntryType.NO_OP, new byte[0]);
      expected.add(model.noOp(term));
    } else if (step instanceof Script.Refused refused) {
      propose(EntryType.COMMAND, offending(refused.offence(), refused.time()));
      expected.add(model.rejected(term, refused.time(), Reason.INVALID_ARGUMENT));
    } else if (step instanceof Script.Crash crash) {
      // Entries not applied yet are in the log all the same.
      forgetRemoval();
      machine.abandon();
      reopened(log.size(), crash.batch());
    } else if (step instanceof Script.Install install) {
      install(install);
    } else {
      applyAll();
      observe(step);
    }
    model.space.settle();
  }

  private static byte[] offending(Script.Offence offence, long time) {
    ByteString key = ByteString.copyFromUtf8("a");
    DeleteRange.Builder delete = DeleteRange.newBuilder().setKey(key);
    switch (offence) {
      case PUT_WITHOUT_KEY -> {
        return Commands.put(ByteString.EMPTY, key, PutOptions.DEFAULT, Stamp.at(time));
      }
      case DELETE_WITHOUT_KEY -> delete.setKey(ByteString.EMPTY);
      case DELETE_OF_NOTHING -> delete.setRangeEnd(key);
      case DELETE_BACKWARDS -> delete.setKey(ByteString.copyFromUtf8("b")).setRangeEnd(key);
      default -> throw new AssertionError("no such offence: " + offence);
    }
    return Command.newBuilder().setTimeMillis(time).setDeleteRange(delete).build().toByteArray();
  }

  private void propose(EntryType type, byte[] payload) {
    log.add(new Entry(log.size() + 1L, term, type, payload));
  }

  private void applyAll() {
    applyUpTo(log.size(), log.size());
  }

  private void applyUpTo(int last, int batch) {
    int applied = (int) machine.header().appliedIndex();
    while (applied < last) {
      int next = Math.min(last, applied + batch);
      List<ApplyResult> results = machine.apply(log.subList(applied, next));
      assertThat(results.stream().map(ScriptedStore::withoutWords).toList())
          .isEqualTo(expected.subList(applied, next));
      applied = next;
    }
    assertThat(machine.header()).isEqualTo(model.headerAfter(applied));
  }

  /** A refusal as the model knows it: that it happens, and why, not in which words. */
  static ApplyResult withoutWords(ApplyResult result) {
    if (result instanceof ApplyResult.QuotaSet set) {
      Space space = set.space();
      // The sums of all times the model does not know: only what they come to.
      return new ApplyResult.QuotaSet(set.header(), ModelSpace.withoutHistory(space));
    }
    return result instanceof ApplyResult.Rejected rejected
        ? new ApplyResult.Rejected(rejected.header(), new Refusal(rejected.refusal().reason(), ""))
        : result;
  }

  private static void isRefused(ReadOutcome<?> outcome, Reason reason) {
    assertThat(outcome).isInstanceOf(ReadOutcome.Refused.class);
    assertThat(((ReadOutcome.Refused<?>) outcome).refusal().reason()).isEqualTo(reason);
  }

  private void observe(Script.Step step) {
    if (step instanceof Script.Get get) {
      observe(get);
    } else if (step instanceof Script.Range range) {
      observe(range);
    } else if (step instanceof Script.ReadTransaction read) {
      observe(read);
    } else if (step instanceof Script.Flush) {
      machine.flush();
      assertThat(machine.flushedIndex()).isEqualTo(log.size());
      checkHash();
    } else if (step instanceof Script.BeginRemoval begin) {
      beginRemoval(begin.events());
    } else if (step instanceof Script.EndRemoval) {
      endRemoval();
    } else if (step instanceof Script.Reopen) {
      forgetRemoval();
      machine.close();
      machine = KvStateMachine.open(home, options);
      assertThat(machine.restored().index()).isEqualTo(log.size());
      assertThat(machine.header()).isEqualTo(model.header());
    } else if (!(step instanceof Script.ApplyAll)) {
      throw new AssertionError("no such step: " + step);
    }
  }

  private void observe(Script.Get get) {
    long revision = past(get.past());
    ReadOutcome<GetResult> outcome = machine.get(get.key(), revision);
    if (isCompacted(revision)) {
      isRefused(outcome, Reason.REVISION_COMPACTED);
    } else if (get.past() < 0) {
      isRefused(outcome, Reason.REVISION_IN_FUTURE);
    } else {
      assertThat(outcome).isEqualTo(new ReadOutcome.Answered<>(model.get(get.key(), revision)));
    }
  }

  private void observe(Script.Range range) {
    RangeOptions how = range.options().withRevision(past(range.past()));
    ReadOutcome<RangeResult> outcome = machine.range(range.range(), how);
    if (how.limit() < 0) {
      isRefused(outcome, Reason.INVALID_ARGUMENT);
    } else if (isCompacted(how.revision())) {
      isRefused(outcome, Reason.REVISION_COMPACTED);
    } else if (range.past() < 0) {
      isRefused(outcome, Reason.REVISION_IN_FUTURE);
    } else {
      assertThat(outcome)
          .isEqualTo(
              new ReadOutcome.Answered<>(
                  model.range(range.range(), how, options.answerBytesMax())));
    }
  }

  private void observe(Script.ReadTransaction read) {
    ReadOutcome<TxnResult> outcome;
    try (TxnRead prepared = machine.prepareTxn(read.txn())) {
      outcome = prepared.run();
    }
    try {
      assertThat(outcome).isEqualTo(new ReadOutcome.Answered<>(model.read(read.txn())));
    } catch (ModelTxn.Refused refused) {
      isRefused(outcome, refused.reason);
    }
  }

  private long past(int revisions) {
    long now = model.header().revision();
    if (revisions < 0) {
      return now - revisions;
    }
    return revisions == 0 ? 0 : Math.max(1, now - revisions + 1);
  }

  private boolean isCompacted(long revision) {
    return revision != 0 && revision < model.compactRevision();
  }

  private void beginRemoval(int events) {
    if (removal == null) {
      removal = machine.prepareCompaction(events);
      if (removal != null) {
        removal.run();
      }
    }
  }

  private void endRemoval() {
    if (removal != null) {
      machine.finishCompaction(removal);
      forgetRemoval();
    }
  }

  private void forgetRemoval() {
    if (removal != null) {
      removal.close();
      removal = null;
    }
  }

  private void removeAll() {
    do {
      endRemoval();
      beginRemoval(2);
    } while (removal != null);
    assertThat(machine.removedRevision()).isEqualTo(model.compactRevision());
  }

  /** Everything that is needed is there, and nothing else. */
  private void checkTables() {
    machine.flush();
    List<String> events = new ArrayList<>();
    try (TableCursor rows = machine.tables().scan(Table.REV, new byte[0], null, false)) {
      while (rows.next()) {
        long revision = RevRow.revision(rows.key());
        events.add(revision + " " + new RevRow(revision, rows.value()).key());
      }
    }
    assertThat(events).isEqualTo(model.neededEvents());
    List<Bytes> keys = new ArrayList<>();
    try (TableCursor rows = machine.tables().scan(Table.LATEST, new byte[0], null, false)) {
      while (rows.next()) {
        keys.add(Bytes.copyOf(rows.key()));
      }
    }
    assertThat(keys).isEqualTo(model.neededKeys());
  }

  private void reopened(int last, int batch) {
    machine = KvStateMachine.open(home, options);
    long restored = machine.restored().index();
    assertThat(restored).isLessThanOrEqualTo(last);
    assertThat(machine.flushedIndex()).isEqualTo(restored);
    // What a crash leaves is the state of whole entries, and it can be read before any replay.
    isAsAfter(restored);
    applyUpTo(last, batch);
  }

  private void isAsAfter(long restored) {
    Header then = model.headerAfter(restored);
    assertThat(machine.header()).isEqualTo(then);
    RangeOptions all = RangeOptions.DEFAULT;
    assertThat(machine.range(KeyRange.all(), all))
        .isEqualTo(
            new ReadOutcome.Answered<>(
                model.range(then, KeyRange.all(), all, options.answerBytesMax())));
  }

  private void install(Script.Install install) {
    forgetRemoval();
    TablesHome otherHome = homes.get();
    KvStateMachine other = KvStateMachine.open(otherHome, options);
    long index = Installs.move(machine, log, install.meanwhile(), other, install.beginning());
    machine.abandon();
    home = otherHome;
    machine = other;
    isAsAfter(index);
  }

  /** Whatever has happened: what follows from the log, and what is in the tables. */
  private void checkHash() {
    int from = (int) sheltered.header().appliedIndex();
    if (from < log.size()) {
      assertThat(sheltered.apply(log.subList(from, log.size()))).hasSize(log.size() - from);
    }
    StateHash hash = machine.stateHash();
    checkSpace();
    assertThat(hash).isEqualTo(sheltered.stateHash());
    assertThat(StoreState.in(machine.tables()).hash(RowSum.of(machine.tables()))).isEqualTo(hash);
  }

  /** The count is what a look at all rows gives, and what the model says (FAULTS F166). */
  private void checkSpace() {
    Space space = machine.space();
    assertThat(ModelSpace.withoutHistory(space)).isEqualTo(model.space.now());
    StoreState state = StoreState.in(machine.tables());
    assertThat(state.space()).isEqualTo(space);
    ModelSpace.checkCount(machine.tables());
  }

  /** Every key at every revision, by key and by range. */
  private void checkHistory() {
    checkHash();
    assertThat(machine.compactRevision()).isEqualTo(model.compactRevision());
    leases.check(machine);
    long oldest = Math.max(1, model.compactRevision());
    if (oldest > 1) {
      isRefused(machine.get(Script.KEYS.get(0), oldest - 1), Reason.REVISION_COMPACTED);
    }
    for (long revision = oldest; revision <= model.header().revision(); revision++) {
      RangeOptions how = RangeOptions.DEFAULT.withRevision(revision);
      var expectedRange = model.range(KeyRange.all(), how, options.answerBytesMax());
      assertThat(machine.range(KeyRange.all(), how))
          .isEqualTo(new ReadOutcome.Answered<>(expectedRange));
      for (Bytes key : Script.KEYS) {
        assertThat(machine.get(key, revision))
            .isEqualTo(new ReadOutcome.Answered<>(model.get(key, revision)));
      }
    }
  }
}
