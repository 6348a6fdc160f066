package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;

/** Something that is done to the cluster. Its text is what reports and replays show. */
public sealed interface Fault {
  /** Power is lost: what was not synced is lost, kept or torn. */
  record LosePower(NodeId node) implements Fault {}

  /** The process is killed; what it has written stays. */
  record Kill(NodeId node) implements Fault {}

  /** The machine comes back, if it was down, and its process starts. */
  record Restart(NodeId node) implements Fault {}

  /** Messages in this one direction are lost from now on. */
  record Cut(NodeId from, NodeId to) implements Fault {}

  /** All cuts are mended. */
  record Heal() implements Fault {}
}
