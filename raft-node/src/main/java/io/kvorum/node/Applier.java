package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.SnapshotMeta;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Feeds the state machine on the apply lane: committed entries in batches, and reads between the
 * batches, each as soon as its read index is applied.
 */
final class Applier<R> {
  /** Entries in one batch for the state machine. */
  private static final int BATCH_ENTRIES_MAX = 1024;

  private sealed interface Work {
    record Committed(List<Entry> entries) implements Work {}

    record Reads(long index, List<ReadListener> listeners) implements Work {}

    record Begin(Consumer<StateMachine.Checkpoint> begun) implements Work {}

    record Install(Disk files, SnapshotMeta meta, Runnable installed) implements Work {}
  }

  /**
   * What one turn of the apply lane leaves for the loop to say.
   *
   * @param entries applied, with their results in the same order
   * @param answers of reads
   * @param finding that the state is wrong, so that nothing is applied behind these entries; or
   *     null
   */
  record Applied<R>(
      List<Entry> entries,
      List<R> results,
      List<Runnable> answers,
      @Nullable StateFinding finding) {}

  private final Lane lane;
  private final StateMachine<R> stateMachine;
  private final Consumer<Applied<R>> applied;
  private final Consumer<Throwable> failed;

  private final ConcurrentLinkedQueue<Work> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile boolean stopped;

  // Owned by the apply lane.
  private final PriorityQueue<Work.Reads> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Work.Reads::index));
  private long appliedIndex;

  /** The state is wrong: until another one is installed, nothing is applied or read. */
  private boolean halted;

  /**
   * An applier behind the state machine's restored state.
   *
   * @param applied told on the apply lane after each batch
   * @param failed told on the apply lane: nothing more will be applied
   */
  Applier(
      Lane lane,
      StateMachine<R> stateMachine,
      Consumer<Applied<R>> applied,
      Consumer<Throwable> failed) {
    this.lane = lane;
    this.stateMachine = stateMachine;
    this.applied = applied;
    this.failed = failed;
    this.appliedIndex = stateMachine.restored().index();
  }

  /** Queues committed entries, consecutive to the earlier ones. */
  void submit(List<Entry> committed) {
    submit(new Work.Committed(committed));
  }

  /** Queues reads to be made once {@code index} is applied. */
  void submitReads(long index, List<ReadListener> listeners) {
    submit(new Work.Reads(index, listeners));
  }

  /**
   * Begins a checkpoint of all that was submitted so far.
   *
   * @param begun told on the apply lane
   */
  void checkpoint(Consumer<StateMachine.Checkpoint> begun) {
    submit(new Work.Begin(begun));
  }

  /**
   * Replaces the state, behind all that was submitted so far: nobody else touches it meanwhile
   * (FAULTS F063). Reads that wait for an entry in it are made then.
   *
   * @param installed told on the apply lane
   */
  void install(Disk files, SnapshotMeta meta, Runnable installed) {
    submit(new Work.Install(files, meta, installed));
  }

  /** Begins with a state that is known to be wrong. Called before anything is submitted. */
  void halt() {
    halted = true;
  }

  /** From now on, queued work is dropped; see {@link #abandonReads}. */
  void stop() {
    stopped = true;
  }

  /**
   * Gives away the reads that will not be made any more. Called once, after the stop.
   *
   * @param to told on the apply lane
   */
  void abandonReads(Consumer<List<ReadListener>> to) {
    lane.execute(() -> to.accept(abandonReads()));
  }

  private List<ReadListener> abandonReads() {
    List<ReadListener> abandoned = new ArrayList<>();
    Work work;
    while ((work = queue.poll()) != null) {
      if (work instanceof Work.Reads reads) {
        waiting.add(reads);
      }
    }
    waiting.forEach(reads -> abandoned.addAll(reads.listeners()));
    waiting.clear();
    return abandoned;
  }

  private void submit(Work work) {
    queue.add(work);
    if (scheduled.compareAndSet(false, true)) {
      lane.execute(this::run);
    }
  }

  private void run() {
    try {
      scheduled.set(false);
      drain();
    } catch (Throwable failure) {
      // The entry's effects are not durable; the node must not go on from a state it cannot name.
      stopped = true;
      failed.accept(failure);
    }
  }

  private void drain() {
    List<Entry> batch = new ArrayList<>();
    Work work;
    while (!stopped && (work = queue.poll()) != null) {
      if (work instanceof Work.Committed committed) {
        batch.addAll(committed.entries());
      } else if (work instanceof Work.Reads reads) {
        waiting.add(reads);
      } else {
        apply(batch);
        batch = new ArrayList<>();
        turn(work);
      }
      if (batch.size() >= BATCH_ENTRIES_MAX) {
        apply(batch);
        batch = new ArrayList<>();
      }
    }
    if (!stopped) {
      apply(batch);
    }
  }

  private void turn(Work work) {
    if (work instanceof Work.Begin begin) {
      begin.begun().accept(stateMachine.checkpoint());
    } else if (work instanceof Work.Install install) {
      stateMachine.install(install.files(), install.meta());
      appliedIndex = install.meta().last().index();
      halted = false;
      install.installed().run();
    } else {
      throw new AssertionError("unknown work " + work);
    }
  }

  private void apply(List<Entry> committed) {
    // What a wrong state drops, the core names again when it has been replaced.
    List<Entry> batch = halted ? List.of() : committed;
    List<R> results = List.of();
    StateFinding finding = null;
    if (!batch.isEmpty()) {
      results = stateMachine.apply(batch);
      finding = stateMachine.checks().finding();
      halted = finding != null;
      batch = batch.subList(0, results.size());
      appliedIndex = batch.isEmpty() ? appliedIndex : batch.get(batch.size() - 1).index();
    }
    List<Runnable> answers = new ArrayList<>();
    while (!waiting.isEmpty() && (halted || waiting.peek().index() <= appliedIndex)) {
      for (ReadListener listener : waiting.remove().listeners()) {
        answers.add(halted ? () -> listener.refused(Refusal.QUARANTINED) : listener.read());
      }
    }
    if (!batch.isEmpty() || !answers.isEmpty() || finding != null) {
      applied.accept(new Applied<>(batch, results, answers, finding));
    }
  }
}
