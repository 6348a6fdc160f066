package io.kvorum.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A core with a disk and a state machine that only keeps what it was given. */
final class TestNode {
  final RaftConfig config;
  final MemoryDisk disk = new MemoryDisk();
  final List<Entry> applied = new ArrayList<>();
  final List<Ready.ReadState> reads = new ArrayList<>();
  final List<Long> failedReads = new ArrayList<>();
  private final Membership membership;
  private final RandomGenerator random;
  private RaftCore core;
  boolean holdsDisk;
  boolean holdsApply;
  boolean isDown;

  /** Its process sleeps: it neither ticks nor receives, while its clock goes on. */
  boolean isPaused;

  /** Its monotonic clock, and how many thousandths of a true second that counts as one. */
  long clockNanos;

  int clockPermille = 1000;
  private long tickedNanos;

  /** The log is compacted up to here, so the state machine never forgets it. */
  int appliedFloor;

  TestNode(RaftConfig config, Membership membership, RandomGenerator random) {
    this.config = config;
    this.membership = membership;
    this.random = random;
    start();
  }

  /** Starts from the disk; the state machine from what it had applied of it. */
  void start() {
    EntryId last = applied.isEmpty() ? EntryId.ZERO : applied.get(applied.size() - 1).id();
    core = new RaftCore(config, disk.hardState(), new SnapshotMeta(last, membership), disk, random);
    isDown = false;
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
      sent.addAll(ready.messages());
      Ready.Write write = ready.write();
      if (write != null) {
        disk.write(write);
        if (!holdsDisk) {
          syncAll();
        }
      }
      apply(ready.committed());
      reads.addAll(ready.reads());
      failedReads.addAll(ready.failedReads());
    }
    return sent;
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

  /** Makes all writes durable with one report. */
  void syncAll() {
    long sequence = 0;
    while (disk.hasPending()) {
      sequence = disk.sync();
    }
    if (sequence > 0) {
      core.durable(sequence);
    }
  }

  /** Makes the oldest write durable and reports it. */
  void syncOne() {
    core.durable(disk.sync());
  }

  @Nullable Entry lastApplied() {
    return applied.isEmpty() ? null : applied.get(applied.size() - 1);
  }
}
