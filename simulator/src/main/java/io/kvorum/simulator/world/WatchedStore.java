package io.kvorum.simulator.world;

import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.disk.Disk;
import io.kvorum.node.Feature;
import io.kvorum.node.Features;
import io.kvorum.node.StateChecks;
import io.kvorum.node.StateMachine;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.History;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.LeaseKind;
import io.kvorum.server.store.LeaseRow;
import io.kvorum.server.store.Space;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.TablesHome;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.LeaseNews;
import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The real store, with someone who writes down what it applies and what it then holds. */
final class WatchedStore implements StateMachine<ApplyResult> {
  private final KvStateMachine store;
  private final Machine machine;
  private final NodeId node;
  private final Journal journal;
  private final int hashEvery;
  private final Chronicle chronicle;
  private final History history;
  private final SpaceWatch space;
  private final Set<Long> leases = new HashSet<>();
  private long appliedIndex;

  /** Up to here, after a fault has changed the state, all rows were read and are right; 0: none. */
  private volatile long readIndex;

  WatchedStore(
      KvStateMachine store, Machine machine, Journal journal, int hashEvery, Chronicle chronicle) {
    this.store = store;
    this.machine = machine;
    this.node = machine.id();
    this.journal = journal;
    this.hashEvery = hashEvery;
    this.chronicle = chronicle;
    this.history = store.history();
    this.space = new SpaceWatch(store, node, journal);
    this.appliedIndex = store.restored().index();
    leases.addAll(store.leaseIds(LeaseKind.USER));
  }

  @Override
  public EntryId restored() {
    return store.restored();
  }

  @Override
  public Membership membership() {
    return store.membership();
  }

  /** In parts that end where the state is to be hashed; one by one beside a quota. */
  @Override
  public List<ApplyResult> apply(List<Entry> entries) {
    endDoubt();
    entries.forEach(this::checkKnown);
    List<ApplyResult> results = new ArrayList<>(entries.size());
    int from = 0;
    for (int i = 0; i < entries.size(); i++) {
      boolean hashes = entries.get(i).index() % hashEvery == 0;
      if (hashes || i == entries.size() - 1 || space.isNeeded()) {
        List<Entry> part = entries.subList(from, i + 1);
        Space before = store.space();
        List<ApplyResult> partResults = store.apply(part);
        part = part.subList(0, partResults.size());
        tell(part, partResults);
        if (part.size() == 1 && !machine.isDoubtful()) {
          space.applied(part.get(0), partResults.get(0), before);
        }
        results.addAll(partResults);
        from = i + 1;
        if (store.checks().finding() != null) {
          break;
        }
      }
      if (hashes) {
        tellHash();
      }
    }
    return results;
  }

  /** As an older version, which stops at what it does not know. */
  private void checkKnown(Entry entry) {
    Feature needs = Commands.feature(entry);
    if (needs != null && !machine.features().has(needs)) {
      throw new IllegalStateException(node + " does not know " + needs.title() + ": " + entry);
    }
  }

  @Override
  public Features usedFeatures() {
    return store.usedFeatures();
  }

  @Override
  public StateChecks checks() {
    return store.checks();
  }

  /** Of what was written, the content is told, too: it must be the state as of that entry. */
  @Override
  public Checkpoint checkpoint() {
    Checkpoint checkpoint = store.checkpoint();
    return files -> {
      Written written = checkpoint.writeTo(files);
      EntryId last = written.meta().last();
      journal.tell(new SimEvent.SnapshotTold(journal.now(), SnapshotNews.WRITTEN, node, last));
      if (machine.isDoubtful() && readIndex == 0) {
        readIndex = last.index();
      }
      TablesHome copy = machine.tables().copyOf(files);
      if (copy != null && !machine.isDoubtful()) {
        KvStateMachine held = KvStateMachine.open(copy, StoreOptions.DEFAULT);
        long hash = Hashes.of(held, held.tables());
        journal.tell(new SimEvent.StateHashed(journal.now(), node, last.index(), hash));
      }
      return written;
    };
  }

  @Override
  public void install(Disk files, SnapshotMeta meta) {
    store.install(files, meta);
    tellInstalled(meta.last());
  }

  /** The state was replaced, by this process or before it has opened anything. */
  void tellInstalled(EntryId last) {
    appliedIndex = last.index();
    machine.trusted();
    readIndex = 0;
    leases.clear();
    leases.addAll(store.leaseIds(LeaseKind.USER));
    journal.tell(new SimEvent.SnapshotTold(journal.now(), SnapshotNews.INSTALLED, node, last));
    tellHash();
  }

  /**
   * A fault has changed the state, and it may be wrong no more: what was changed is overwritten. It
   * is so once all rows were read, and a majority has said since that it has the same. Others have
   * told by then what this one has applied and nobody was told.
   */
  private void endDoubt() {
    boolean isConfirmed = readIndex > 0 && store.checks().confirmedIndex() > readIndex;
    if (machine.isDoubtful() && isConfirmed && appliedIndex <= chronicle.appliedIndex()) {
      machine.trusted();
      readIndex = 0;
      journal.tell(
          new SimEvent.StateTold(journal.now(), SimEvent.StateNews.TRUSTED, node, appliedIndex));
      tellHash();
    }
  }

  private void tell(List<Entry> entries, List<ApplyResult> results) {
    if (!machine.isDoubtful()) {
      chronicleAfter(entries, results);
    } else if (!entries.isEmpty()) {
      appliedIndex = entries.get(entries.size() - 1).index();
    }
  }

  private void chronicleAfter(List<Entry> entries, List<ApplyResult> results) {
    for (int i = 0; i < entries.size(); i++) {
      EntryDigest entry = EntryDigest.of(entries.get(i));
      long hash = Hashes.of(results.get(i));
      appliedIndex = entry.index();
      long revision = results.get(i).header().revision();
      journal.tell(new SimEvent.Applied(journal.now(), node, entry, hash, revision));
      tellOfLeases(results.get(i), entry.index());
    }
    chronicle.applied(node, history, store.header(), journal);
  }

  /** Only of those that somebody has asked for. */
  private void tellOfLeases(ApplyResult result, long index) {
    if (result instanceof ApplyResult.LeaseGranted granted) {
      if (granted.kind() != LeaseKind.USER) {
        return;
      }
      LeaseGrant grant = granted.result();
      leases.add(grant.id());
      tell(LeaseNews.RENEWED, grant.id(), index, grant.ttl().toMillis());
    } else if (result instanceof ApplyResult.LeasesRenewed renewed) {
      renewed.renewals().stream()
          .filter(LeaseRenewal::isAlive)
          .forEach(one -> tell(LeaseNews.RENEWED, one.id(), index, one.ttl().toMillis()));
    } else if (result instanceof ApplyResult.LeaseRevoked revoked) {
      tell(LeaseNews.REVOKED, revoked.id(), index, 0);
    } else if (result instanceof ApplyResult.LeaseExpired ended && ended.expired()) {
      tell(LeaseNews.EXPIRED, ended.id(), index, 0);
    } else if (result instanceof ApplyResult.LeasesCheckpointed checkpoint) {
      new TreeMap<>(checkpoint.remainingMillis())
          .forEach((lease, millis) -> tell(LeaseNews.CHECKPOINT, lease, index, millis));
    }
  }

  private void tell(LeaseNews news, long lease, long index, long millis) {
    if (!leases.contains(lease)) {
      return;
    }
    if (news == LeaseNews.REVOKED || news == LeaseNews.EXPIRED) {
      leases.remove(lease);
    }
    journal.tell(new SimEvent.LeaseTold(journal.now(), news, lease, index, millis));
  }

  /** Tells what the store holds now. */
  void tellHash() {
    if (machine.isDoubtful()) {
      return;
    }
    long hash = Hashes.of(store, store.tables());
    journal.tell(new SimEvent.StateHashed(journal.now(), node, appliedIndex, hash));
    space.count();
  }

  @Nullable LeaseRow lease(long id) {
    return store.lease(id);
  }

  List<Long> leaseIds(LeaseKind kind) {
    return store.leaseIds(kind);
  }

  boolean isWithoutLeases() {
    return store.leaseIds(LeaseKind.USER).isEmpty();
  }

  /** Nothing is left that nobody can read any more. */
  boolean hasRemovedAll() {
    return store.removedRevision() == store.compactRevision();
  }

  long appliedIndex() {
    return appliedIndex;
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public void abandon() {
    store.abandon();
  }
}
