package io.kvorum.raft;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A core with a disk and a state machine that only keeps what it was given. */
final class TestNode {
  /** The content of each snapshot by its last entry: what travels beside the cores. */
  private final Map<EntryId, List<Entry>> blobs;

  final RaftConfig config;
  final MemoryDisk disk = new MemoryDisk();
  final List<Entry> applied = new ArrayList<>();
  final List<Ready.ReadState> reads = new ArrayList<>();
  final List<Long> failedReads = new ArrayList<>();
  final List<Membership> memberships = new ArrayList<>();
  private final RandomGenerator random;
  private SnapshotMeta base;
  private @Nullable SnapshotMeta snapshot;
  private RaftCore core;
  boolean holdsDisk;
  boolean holdsApply;
  boolean failsSnapshots;
  boolean isDown;

  /** What the core wants to be installed, after the writes under way. */
  @Nullable SnapshotMeta install;

  /** How many snapshots were installed. */
  int installs;
  /** Its process sleeps: it neither ticks nor receives, while its clock goes on. */
  boolean isPaused;

  /** Its monotonic clock, and how many thousandths of a true second that counts as one. */
  long clockNanos;

  int clockPermille = 1000;
  private long tickedNanos;

  /** The log is compacted up to here, so the state machine never forgets it. */
  int appliedFloor;

  TestNode(RaftConfig config, Membership membership, RandomGenerator random) {
    this(config, membership, random, new HashMap<>());
  }

  TestNode(
      RaftConfig config,
      Membership membership,
      RandomGenerator random,
      Map<EntryId, List<Entry>> blobs) {
    this.config = config;
    this.random = random;
    this.blobs = blobs;
    base = SnapshotMeta.initial(membership);
    start();
  }

  /** Starts from the disk; the state machine from what it had applied of it. */
  void start() {
    core = new RaftCore(config, disk.hardState(), stateAt(applied.size()), disk, random);
    if (snapshot != null) {
      core.snapshot(snapshot);
    }
    isDown = false;
  }

  /** What the state machine knows after so many entries. */
  private SnapshotMeta stateAt(int index) {
    Membership membership = base.membership();
    for (Entry entry : applied.subList((int) base.last().index(), index)) {
      if (entry.type() == EntryType.MEMBERSHIP) {
        membership = Membership.decode(entry.payload());
      }
    }
    return new SnapshotMeta(index == 0 ? EntryId.ZERO : applied.get(index - 1).id(), membership);
  }

  /**
   * Loses what was not synced.
   *
   * @param survivors how many writes made it although nobody was told
   * @param appliedKept how many entries the state machine remembers, at most what is on disk
   */
  void crash(int survivors, int appliedKept) {
    disk.crash(survivors);
    int kept = (int) Math.min(Math.max(appliedKept, appliedFloor), disk.lastIndex());
    applied.subList(Math.min(kept, applied.size()), applied.size()).clear();
    reads.clear();
    failedReads.clear();
    install = null;
    isDown = true;
  }

  NodeId id() {
    return config.self();
  }

  /** The core, which has been told the time. */
  RaftCore core() {
    core.now(clockNanos);
    return core;
  }

  /** Before anything happens: a clock may show anything, also less than zero. */
  void setClock(long nanos, int permille) {
    clockNanos = nanos;
    tickedNanos = nanos;
    clockPermille = permille;
    start();
  }

  /** A tick's worth of time passes here, and the core is told. */
  void tick() {
    clockNanos += config.tickNanos();
    tickedNanos = clockNanos;
    core().tick();
  }

  /** True time passes: exact for whole microseconds. */
  void pass(long nanos) {
    clockNanos += nanos * clockPermille / 1000;
  }

  /** True time until a tick is due by its own clock; 0 when it is, and never early. */
  long nanosToTick() {
    long missing = config.tickNanos() - (clockNanos - tickedNanos);
    return missing <= 0 ? 0 : (missing / clockPermille + 1) * 1000;
  }

  /** Ticks if that is due. */
  boolean tickIfDue() {
    if (isDown || isPaused || nanosToTick() > 0) {
      return false;
    }
    tickedNanos = clockNanos;
    core().tick();
    return true;
  }

  /** Does what the core says, until it says nothing more, and returns what it sent. */
  List<Envelope> run() {
    List<Envelope> sent = new ArrayList<>();
    while (core.hasReady()) {
      Ready ready = core.ready();
      ready.messages().stream().filter(this::sends).forEach(sent::add);
      Ready.Write write = ready.write();
      if (write != null) {
        disk.write(write);
      }
      apply(ready.committed());
      reads.addAll(ready.reads());
      failedReads.addAll(ready.failedReads());
      if (ready.membership() != null) {
        memberships.add(ready.membership());
      }
      if (ready.install() != null) {
        install = ready.install();
      }
      if (!holdsDisk) {
        syncAll();
      }
    }
    return sent;
  }

  private boolean sends(Envelope envelope) {
    if (!(envelope.message() instanceof Message.InstallSnapshot)) {
      return true;
    }
    if (failsSnapshots) {
      core.snapshotFailed(envelope.to());
    } else {
      core.snapshotSent(envelope.to());
    }
    return !failsSnapshots;
  }

  private void apply(List<Entry> entries) {
    for (Entry entry : entries) {
      assert entry.index() == applied.size() + 1 : entry + " after " + applied.size();
      applied.add(entry);
    }
    if (!entries.isEmpty() && !holdsApply) {
      core.applied(applied.size());
    }
  }

  boolean knowsMembersAt(int index) {
    return !stateAt(index).membership().isEmpty();
  }

  /** Makes a snapshot of what is applied, durably from now on, up to this index. */
  void takeSnapshot(int index) {
    SnapshotMeta made = stateAt(index);
    blobs.put(made.last(), List.copyOf(applied.subList(0, index)));
    appliedFloor = Math.max(appliedFloor, index);
    snapshot = made;
    core.snapshot(made);
  }

  /** Forgets the log up to this index, which a snapshot must stand for. */
  void compact(long index) {
    if (snapshot == null || snapshot.last().index() < index) {
      takeSnapshot((int) index);
    }
    core.compacted(new EntryId(index, disk.term(index)));
    disk.compact(index);
  }

  @Nullable SnapshotMeta snapshot() {
    return snapshot;
  }

  /** Makes all writes durable with one report, and then the snapshot, if one is to be installed. */
  void syncAll() {
    long sequence = 0;
    while (disk.hasPending()) {
      sequence = disk.sync();
    }
    if (sequence > 0) {
      core.durable(sequence);
    }
    SnapshotMeta installed = install;
    if (installed != null) {
      becomeSnapshot();
      core.installed(installed);
      core.snapshot(installed);
    }
  }

  /** Replaces log and state machine durably, after all writes. The core has still to be told. */
  void becomeSnapshot() {
    SnapshotMeta installed = install;
    assert installed != null && !disk.hasPending() : "nothing to install, or writes before it";
    disk.reset(installed.last());
    applied.clear();
    applied.addAll(blobs.get(installed.last()));
    appliedFloor = applied.size();
    base = installed;
    snapshot = installed;
    install = null;
    installs++;
  }

  /** Makes the oldest write durable and reports it. */
  void syncOne() {
    core.durable(disk.sync());
  }

  @Nullable Entry lastApplied() {
    return applied.isEmpty() ? null : applied.get(applied.size() - 1);
  }
}
