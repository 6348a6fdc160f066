package io.kvorum.server;

import io.kvorum.node.Clock;
import io.kvorum.node.Lane;
import io.kvorum.node.Loop;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.node.SnapshotPorts;
import io.kvorum.node.StateMachine;
import io.kvorum.node.Transport;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.watch.WatchLimits;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link ServingNode} stands on. All of it belongs to the caller, but for the transport and
 * the state machine, which the node closes.
 *
 * @param loop owns the core and all that waits for an answer
 * @param logLane writes the log and the vote file
 * @param applyLane owns the state machine
 * @param worker scans ranges
 * @param watchLane serves watches
 * @param files prepares the log's next segment, and notes how far the log is durable
 * @param stateMachine the store, or what passes everything on to it
 * @param watchLimits what watches may hold
 * @param snapshots null: none are taken, sent or received, and the log is never cut
 * @param failed told once, on any lane, when the node has stopped itself
 */
public record ServingPorts(
    Loop loop,
    Lane logLane,
    Lane applyLane,
    Lane worker,
    Lane watchLane,
    Executor files,
    Transport transport,
    Clock clock,
    SplittableRandom random,
    StateMachine<ApplyResult> stateMachine,
    WatchLimits watchLimits,
    @Nullable Snapshots snapshots,
    Consumer<Throwable> failed) {
  /**
   * What snapshots need.
   *
   * @param config when they are taken, and what is kept
   */
  public record Snapshots(SnapshotConfig config, SnapshotPorts ports) {}

  ServingPorts withTransport(Transport other) {
    return new ServingPorts(
        loop,
        logLane,
        applyLane,
        worker,
        watchLane,
        files,
        other,
        clock,
        random,
        stateMachine,
        watchLimits,
        snapshots,
        failed);
  }
}
