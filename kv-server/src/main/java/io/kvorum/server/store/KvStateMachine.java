package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.disk.Disk;
import io.kvorum.node.Features;
import io.kvorum.node.StateChecks;
import io.kvorum.node.StateMachine;
import io.kvorum.protocol.TxnRules;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.server.store.protocol.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The replicated store: keys with revisions, as etcd has them, over {@link Tables}.
 *
 * <p>Deterministic: an entry's result and effect follow from the entries before it and from
 * constants of the format. No clock, no local setting, no randomness and no map order reaches them
 * (DESIGN.md §5).
 *
 * <p>Durability comes in steps. Apply changes the heap; {@link Overlay} says when that reaches the
 * tables, in whole entries; the tables say when it reaches the disk. A crash loses the newest
 * entries of that chain, all of each, and the log replays them: {@link #restored()}.
 *
 * <p>A snapshot is a {@link #checkpoint} of the tables, and {@link #install} puts one in their
 * place: whatever is held of the old ones on the heap goes with them, in {@link OpenTables}.
 *
 * <p>Belongs to the apply lane; only a {@link RangeScan} leaves it. A call that ends in an
 * exception or error may have left half an entry on the heap: from then on every call but {@link
 * #close()} and {@link #abandon()} throws, so that half never reaches the tables (FAULTS F024,
 * F160). If a promise about the state is what was broken, another state may be installed as well.
 */
public final class KvStateMachine implements StateMachine<ApplyResult> {
  private final TablesHome home;
  private final StoreOptions options;
  private final EntryId restored;

  /** Set before {@link #open}: see {@link #install}. */
  private volatile StoreState state;

  private volatile OpenTables open;
  private final CheckMemory checks;
  private Feed feed = Feed.NONE;
  private boolean usable = true;

  /**
   * Opens the store that is in its home, or makes one.
   *
   * @throws IllegalStateException if another version of the format is in there, or no store
   */
  public static KvStateMachine open(TablesHome home, StoreOptions options) {
    return new KvStateMachine(home, options);
  }

  private KvStateMachine(TablesHome home, StoreOptions options) {
    this.home = home;
    this.options = options;
    this.checks = new CheckMemory(options.checkEntries(), () -> this.open.overlay().isDoubted());
    OpenTables opened = OpenTables.in(home, options);
    state = opened.found();
    restored = state.applied();
    open = opened;
  }

  /** From now on, it hears of what is applied. Before the first entry is. */
  public void feed(Feed hears) {
    feed = hears;
  }

  /** What happened, to be read on any thread. */
  public History history() {
    return new History(() -> open.tables(), this::compactRevision);
  }

  /** The tables under it, to look at; until the next {@link #install}, these. */
  public TableReader tables() {
    return open.tables();
  }

  @Override
  public EntryId restored() {
    return restored;
  }

  /** As of the last applied entry, not only at the start. */
  @Override
  public Membership membership() {
    return state.membership();
  }

  /** {@inheritDoc} */
  @Override
  public List<ApplyResult> apply(List<Entry> entries) {
    begin();
    List<ApplyResult> results = new ArrayList<>(entries.size());
    List<StoreEvent> events = new ArrayList<>();
    for (Entry entry : entries) {
      if (checks.finding() != null) {
        break;
      }
      state.checkFollowedBy(entry);
      try {
        results.add(apply(entry, events));
      } catch (InvariantViolation broken) {
        checks.contradicted(entry.index(), String.valueOf(broken.getMessage()));
        feed.applied(events, state.revision());
        return results;
      }
      if (open.overlay().isFull()) {
        open.overlay().writeAll(state);
      } else {
        open.overlay().writeSomeEvents();
      }
    }
    open.overlay().writeEvents();
    end();
    feed.applied(events, state.revision());
    return results;
  }

  private ApplyResult apply(Entry entry, List<StoreEvent> events) {
    if (entry.type() == EntryType.COMMAND) {
      return applyCommand(entry, events);
    }
    // Who leads, and who is in the group, is Raft's business; here it only takes its place.
    state = state.advancedTo(entry.id(), state.logTimeMillis());
    if (entry.type() == EntryType.MEMBERSHIP) {
      state = state.withMembership(Commands.membership(entry));
    }
    return new ApplyResult.NothingApplied(header());
  }

  private ApplyResult applyCommand(Entry entry, List<StoreEvent> events) {
    Refusal tooLarge = StoreLimits.refuseCommand(entry.payload());
    if (tooLarge != null) {
      state = state.advancedTo(entry.id(), state.logTimeMillis());
      return new ApplyResult.Rejected(header(), tooLarge);
    }
    CommandExecution execution = new CommandExecution(open.overlay(), liveRows(), state, entry);
    Command command = Commands.decode(entry);
    ApplyResult result = execution.execute(command);
    state = execution.state();
    open.overlay().features().use(command);
    if (command.hasCheck()) {
      // In this order: a doubt that comes meanwhile counts from the next check on.
      boolean isDoubted = open.overlay().isDoubted();
      open.overlay().writeAll(state);
      checks.remember(entry.index(), state.hash(open.overlay().rows()), isDoubted);
    } else if (command.hasVerdict() && checks.judge(entry.index(), command.getVerdict())) {
      open.overlay().trustRows();
    }
    Changes changes = execution.changes();
    if (changes != null && feed.isWanted()) {
      changes.addEventsTo(events);
    }
    return result;
  }

  private LiveRows liveRows() {
    return new LiveRows(open.tables(), open.overlay(), open.versions(), state);
  }

  /** Where the store stands; any thread may ask. The term is that of the last applied entry. */
  public Header header() {
    return state.header();
  }

  /** The oldest revision that can be read; 0: all. Any thread may ask. */
  public long compactRevision() {
    return state.compactRevision();
  }

  /** How much room the store takes, and may take. Any thread may ask. */
  public Space space() {
    return state.space();
  }

  /**
   * Reads a key.
   *
   * @param revision the state as of this revision; 0: now
   */
  public ReadOutcome<GetResult> get(Bytes key, long revision) {
    Refusal refusal = StoreLimits.refuseKey(key);
    if (refusal == null) {
      refusal = state.refuseRevision(revision);
    }
    if (refusal != null) {
      return new ReadOutcome.Refused<>(refusal, state.compactRevision());
    }
    begin();
    LatestRow latest = open.overlay().find(key);
    KeyValue found =
        latest == null ? null : open.versions().at(revisionOrNow(revision), key, latest, true);
    end();
    return new ReadOutcome.Answered<>(new GetResult(header(), Optional.ofNullable(found)));
  }

  /** Reads a range here and now; for a long one see {@link #prepareRange}. */
  public ReadOutcome<RangeResult> range(KeyRange range, RangeOptions how) {
    try (RangeScan scan = prepareRange(range, how)) {
      return scan.run();
    }
  }

  /** Pins the present state for a range read that runs later, elsewhere. Must be closed. */
  public RangeScan prepareRange(KeyRange range, RangeOptions how) {
    Refusal refusal = StoreLimits.refuseRange(range);
    if (refusal == null && how.limit() < 0) {
      refusal = new Refusal(Reason.INVALID_ARGUMENT, "the limit is negative: " + how.limit());
    }
    if (refusal == null) {
      refusal = state.refuseRevision(how.revision());
    }
    if (refusal != null) {
      return RangeScan.refused(new ReadOutcome.Refused<>(refusal, state.compactRevision()));
    }
    begin();
    if (open.overlay().hides(range)) {
      open.overlay().writeAll(state);
    }
    TableSnapshot snapshot = open.tables().snapshot();
    end();
    return RangeScan.planned(
        new RangeScan.Plan(
            snapshot,
            header(),
            range,
            how,
            revisionOrNow(how.revision()),
            options.answerBytesMax()));
  }

  /**
   * Prepares a transaction that only reads: pins the present state for it if it may take long, and
   * makes it at once if not. Must be closed.
   *
   * @param txn that {@link TxnRules} have accepted
   */
  public TxnRead prepareTxn(Txn txn) {
    InvariantViolation.check(txn.onlyReads(), "what can write goes through the log");
    List<KeyRange> ranges = TxnRead.ranges(txn);
    begin();
    TxnRead read;
    if (ranges.stream().allMatch(KeyRange::isSingle)) {
      read = new TxnRead(txn, header(), state, null);
      ReadOutcome<TxnResult> unused = read.runOn(liveRows(), StoreLimits.LOOKED_AT_MAX);
    } else {
      if (ranges.stream().anyMatch(open.overlay()::hides)) {
        open.overlay().writeAll(state);
      }
      read = new TxnRead(txn, header(), state, open.tables().snapshot());
    }
    end();
    return read;
  }

  private long revisionOrNow(long revision) {
    return revision == 0 ? state.revision() : revision;
  }

  /**
   * Prepares the next step of the removal of what compaction has made unreadable; null if there is
   * none. To be scanned anywhere, given to {@link #finishCompaction}, and closed.
   *
   * @param eventsMax how much of history the step looks at
   */
  public @Nullable CompactionStep prepareCompaction(int eventsMax) {
    if (checks.isContradicted()) {
      return null;
    }
    begin();
    CompactionStep step = open.compaction().prepare(state, eventsMax);
    end();
    return step;
  }

  /** Makes happen what a step has found; before the next one is prepared. */
  public void finishCompaction(CompactionStep step) {
    if (checks.isContradicted()) {
      return;
    }
    begin();
    // A step through tables that have been replaced meanwhile says nothing about these.
    if (step.isOf(open.compaction())) {
      open.compaction().finish(step);
    }
    end();
  }

  /** What is unreadable for this compact revision has been removed. Any thread may ask. */
  public long removedRevision() {
    return open.compaction().finished();
  }

  /** The lease, or null. */
  public @Nullable LeaseRow lease(long id) {
    return open.overlay().leases().find(id);
  }

  /** The keys that hang on a lease that exists, in order. */
  public List<Bytes> leaseKeys(long id) {
    return open.overlay().leases().keys(id);
  }

  /** All leases that are for this, ascending. */
  public List<Long> leaseIds(LeaseKind kind) {
    return open.overlay().leases().ids(kind);
  }

  /** Rows of all that is kept of results, in no order, as they are once they are in the table. */
  public void forEachReply(BiConsumer<byte[], byte[]> visitor) {
    open.overlay().replies().forEachRow(visitor);
  }

  /** Whether {@link #takeLeaseChanges} has something to give; any thread may ask. */
  public boolean hasLeaseChanges() {
    return open.overlay().leases().hasChanges();
  }

  /** What has become of leases since the last time; at first, all that there are. */
  public List<LeaseChange> takeLeaseChanges() {
    return open.overlay().leases().takeChanges();
  }

  /**
   * The last entry whose effect would survive a crash now. The log may be cut up to it, and a
   * replay starts behind it.
   */
  public long flushedIndex() {
    byte[] row = open.tables().flushed(Table.META, StoreState.rowKey());
    return StoreState.decode(row).applied().index();
  }

  /**
   * {@inheritDoc} That takes as long as the overlay is large; what is durable moves up to here when
   * the checkpoint is written.
   *
   * <p>All of it is read once: if it is not what was written into it, the snapshot is given up, and
   * the next {@linkplain StateChecks check} tells the others (FAULTS F148). Writing it fails with a
   * {@link StateReplacedException} if another state is installed meanwhile. Its membership is empty
   * as long as no entry has named one: then it is the one that the group began with, which is not
   * known here. Of a state that contradicts the log, whose last entry is half applied on the heap,
   * it holds what the tables do.
   */
  @Override
  public Checkpoint checkpoint() {
    OpenTables now = open;
    if (!checks.isContradicted()) {
      begin();
      now.overlay().writeAll(state);
      end();
    }
    return files -> {
      now.tables().checkpoint(files);
      // It may hold less than was asked for, or more: what it holds says so itself.
      try (TableSnapshot held = home.peek(files)) {
        StoreState then = StoreState.in(held);
        now.checkRows(held);
        return new Written(
            new SnapshotMeta(then.applied(), then.membership()),
            new SnapshotAbout(then.revision(), StoreState.hashIn(held)).encode());
      }
    };
  }

  /**
   * {@inheritDoc}
   *
   * <p>Readers of the old state end first, or are told by a {@link StateReplacedException}.
   *
   * @throws IllegalStateException if the files hold another state than {@code meta} says, or than
   *     their own hash does, or an older one than this: then nothing has changed; or if readers of
   *     the old state do not end
   */
  @Override
  public void install(Disk files, SnapshotMeta meta) {
    if (!checks.isContradicted()) {
      checkUsable();
    }
    try (TableSnapshot coming = home.peek(files)) {
      long revision = checks.isDistrusted() ? 0 : state.revision();
      StoreState.in(coming).checkInstallable(meta, state.applied(), revision);
      // A look at every row: what has been copied, hashed and sent may have been wrong before.
      StateSummary.verified(coming);
      Features unused = UsedFeatures.in(coming);
    }
    usable = false;
    LeaseRows oldLeases = open.overlay().leases();
    home.replace(files);
    OpenTables opened = OpenTables.in(home, options);
    opened.overlay().leases().succeed(oldLeases);
    // In this order: who has read events of the new tables asks the new state what is compacted.
    state = opened.found();
    open = opened;
    checks.replaced();
    end();
    feed.replaced(state.revision());
  }

  /**
   * The hash of the state after the last applied entry: the same on every member that stands there.
   * On the apply lane; brings what was applied into the tables.
   */
  public StateHash stateHash() {
    begin();
    open.overlay().writeAll(state);
    StateHash hash = state.hash(open.overlay().rows());
    end();
    return hash;
  }

  /** Makes durable all that was applied. */
  public void flush() {
    begin();
    open.overlay().writeAll(state);
    open.tables().flush();
    end();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if readers are still there after the bound of the tables; all is
   *     durable, and the last reader gives the resources back
   */
  @Override
  public void close() {
    if (!usable) {
      abandon();
      return;
    }
    boolean flushed = false;
    try {
      flush();
      flushed = true;
    } finally {
      usable = false;
      if (!flushed) {
        open.tables().abandon();
      }
    }
    open.tables().close();
  }

  @Override
  public void abandon() {
    usable = false;
    open.tables().abandon();
  }

  @Override
  public StateChecks checks() {
    return checks;
  }

  @Override
  public Features usedFeatures() {
    return open.overlay().features().used();
  }

  /** Not usable until {@link #end}: whatever is thrown in between leaves it so. */
  private void begin() {
    checkUsable();
    usable = false;
  }

  private void checkUsable() {
    if (!usable) {
      throw new IllegalStateException("the store is closed, or an earlier call of it failed");
    }
  }

  private void end() {
    usable = true;
  }
}
