package io.kvorum.node.netty;

import io.kvorum.raft.NodeId;

/** A hello as it came in: well-formed, not yet believed. */
record Greeting(int protocolVersion, String clusterId, NodeId from, NodeId to, long incarnation) {}
