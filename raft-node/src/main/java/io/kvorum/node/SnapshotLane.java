package io.kvorum.node;

import io.kvorum.snapshot.CorruptSnapshotException;
import io.kvorum.snapshot.SnapshotGoneException;
import io.kvorum.snapshot.SnapshotRefusedException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The way to the snapshot lane and back. What fails there, fails: a snapshot is a copy, and the
 * node's promises do not rest on it. Only what nobody expects is a bug, which stops the node.
 */
final class SnapshotLane {
  private final Lane lane;
  private final Loop loop;
  private final Consumer<Runnable> step;
  private final Consumer<Throwable> bug;
  private volatile boolean stopped;

  /**
   * The lane.
   *
   * @param step runs on the loop what may change the core, unless the node has stopped
   * @param bug stops the node; on any lane
   */
  SnapshotLane(Lane lane, Loop loop, Consumer<Runnable> step, Consumer<Throwable> bug) {
    this.lane = lane;
    this.loop = loop;
    this.step = step;
    this.bug = bug;
  }

  /**
   * Does work there and hands what came of it, or why nothing did, to the loop.
   *
   * @param failed told of what can happen: the disk does not take it, a snapshot is damaged or gone
   */
  <T> void run(Supplier<T> work, Consumer<T> done, Consumer<RuntimeException> failed) {
    lane.execute(
        () -> {
          if (stopped) {
            return;
          }
          try {
            T result = work.get();
            loop(() -> done.accept(result));
          } catch (UncheckedIOException
              | CorruptSnapshotException
              | SnapshotGoneException
              | SnapshotRefusedException expected) {
            loop(() -> failed.accept(expected));
          } catch (Throwable unexpected) {
            // The main loop of the lane ends here; so must the node.
            stopped = true;
            bug.accept(unexpected);
          }
        });
  }

  /** Back on the loop. */
  void loop(Runnable task) {
    loop.execute(() -> step.accept(task));
  }

  /** From now on queued work is dropped. */
  void stop() {
    stopped = true;
  }
}
