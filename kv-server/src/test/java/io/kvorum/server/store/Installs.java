package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.Disk;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.node.StateMachine.Checkpoint;
import io.kvorum.node.StateMachine.Written;
import io.kvorum.raft.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Brings the state of one store into another one, which may hold anything, and looks at it. */
final class Installs {
  private Installs() {}

  /** An empty directory for a snapshot. */
  static Disk directory() {
    return SimulatedDisk.create(new SplittableRandom(7)).directory("files");
  }

  /**
   * Installs a store's state in another store.
   *
   * @param log of both
   * @param meanwhile how many entries the first one applies before its checkpoint is written
   * @param other has applied a beginning of the log, this long at most
   * @return where the other store is now
   */
  static long move(
      KvStateMachine from, List<Entry> log, int meanwhile, KvStateMachine other, int beginning) {
    Checkpoint checkpoint = from.checkpoint();
    int least = (int) from.header().appliedIndex();
    apply(from, log, Math.min(log.size(), least + meanwhile));
    Disk files = directory();
    Written written = checkpoint.writeTo(files);
    int index = (int) written.meta().last().index();
    assertThat(index).isBetween(least, (int) from.header().appliedIndex());
    assertThat(from.flushedIndex()).isGreaterThanOrEqualTo(index);

    apply(other, log, Math.min(index, beginning));
    Map<Long, LeaseRow> heard = new TreeMap<>();
    hear(other, heard);
    Recorder feed = new Recorder();
    other.feed(feed);
    other.install(files, written.meta());
    assertThat(other.header().appliedIndex()).isEqualTo(index);
    assertThat(other.header().term()).isEqualTo(written.meta().last().term());
    assertThat(other.flushedIndex()).isEqualTo(index);
    SnapshotAbout about = SnapshotAbout.decode(written.about());
    long revision = about.revision();
    assertThat(revision).isEqualTo(other.header().revision());
    assertThat(about.hash()).isEqualTo(other.stateHash());
    assertThat(feed.replacedBy).containsExactly(revision);
    hear(other, heard);
    assertThat(heard).isEqualTo(leases(other));
    return index;
  }

  private static void apply(KvStateMachine machine, List<Entry> log, int to) {
    int applied = (int) machine.header().appliedIndex();
    if (applied < to) {
      assertThat(machine.apply(log.subList(applied, to))).hasSize(to - applied);
    }
  }

  /** As whoever keeps the leases' time does. */
  private static void hear(KvStateMachine machine, Map<Long, LeaseRow> heard) {
    for (LeaseChange change : machine.takeLeaseChanges()) {
      if (change.row() == null) {
        heard.remove(change.id());
      } else {
        heard.put(change.id(), change.row());
      }
    }
  }

  private static Map<Long, LeaseRow> leases(KvStateMachine machine) {
    Map<Long, LeaseRow> leases = new TreeMap<>();
    for (LeaseKind kind : LeaseKind.values()) {
      machine.leaseIds(kind).forEach(id -> leases.put(id, machine.lease(id)));
    }
    return leases;
  }

  private static final class Recorder implements Feed {
    private final List<Long> replacedBy = new ArrayList<>();

    @Override
    public boolean isWanted() {
      return true;
    }

    @Override
    public void applied(List<StoreEvent> events, long revision) {}

    @Override
    public void replaced(long revision) {
      replacedBy.add(revision);
    }
  }
}
