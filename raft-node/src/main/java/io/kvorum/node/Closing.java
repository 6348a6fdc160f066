package io.kvorum.node;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Gives back what a node that has stopped stands on: the state machine on the apply lane, then log
 * and vote file on the log lane, each behind all that was queued there before.
 */
final class Closing {
  private final NodePorts<?> ports;
  private final BooleanSupplier failed;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /**
   * A closing that has not begun.
   *
   * @param failed whether the node has failed: then its state machine must keep nothing more
   */
  Closing(NodePorts<?> ports, BooleanSupplier failed) {
    this.ports = ports;
    this.failed = failed;
  }

  /**
   * Begins, behind what the loop has to do now.
   *
   * @return completes when all is closed; fails with the first failure
   */
  CompletableFuture<Void> begin() {
    ports.loop().execute(this::closeSnapshots);
    return closed;
  }

  /** A checkpoint that is being written reads from the state: it ends first. */
  private void closeSnapshots() {
    SnapshotPorts snapshots = ports.snapshots();
    if (snapshots == null) {
      ports.applyLane().execute(this::closeStateMachine);
      return;
    }
    snapshots
        .lane()
        .execute(
            () -> {
              step(snapshots.store()::close);
              ports.applyLane().execute(this::closeStateMachine);
            });
  }

  private void closeStateMachine() {
    StateMachine<?> stateMachine = ports.stateMachine();
    step(failed.getAsBoolean() ? stateMachine::abandon : stateMachine::close);
    ports.logLane().execute(this::closeLog);
  }

  private void closeLog() {
    step(ports.log()::close);
    step(ports.voteFile()::close);
    closed.complete(null);
  }

  private void step(Runnable step) {
    try {
      step.run();
    } catch (Throwable failure) {
      // The other resources must still be given back; the caller learns of the first failure.
      closed.completeExceptionally(failure);
    }
  }
}
