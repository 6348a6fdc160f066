package io.kvorum.node;

import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a node stands on. The node closes the transport, the log and the state machine; the lanes
 * belong to the caller.
 *
 * @param clock what leases and the bounds of stale reads are measured by
 * @param loop owns the core; the transport calls on it
 * @param logLane owns writes to the log and the vote file
 * @param applyLane owns the state machine
 * @param snapshots where snapshots are kept; null: none are taken, sent or received
 * @param space null: how full the disk is, is not watched
 * @param failed told once, on any lane, when the node has stopped itself because it can no longer
 *     keep its promises
 */
public record NodePorts<R>(
    Clock clock,
    Loop loop,
    Lane logLane,
    Lane applyLane,
    Transport transport,
    StateMachine<R> stateMachine,
    LogStore log,
    VoteFile voteFile,
    RandomGenerator random,
    @Nullable SnapshotPorts snapshots,
    @Nullable SpacePorts space,
    Consumer<Throwable> failed) {}
