package io.kvorum.node.netty;

import io.kvorum.node.Features;
import io.kvorum.raft.NodeId;

/**
 * A hello: well-formed, not yet believed.
 *
 * @param incarnation of the sender's data directory
 * @param group to which the sender belongs; {@link io.kvorum.node.GroupMark#UNKNOWN} if it does not
 *     know yet
 * @param address where the sender is reached, as in a membership; empty if it does not say
 * @param features what the sender has; none if its version does not say
 */
public record Greeting(
    int protocolVersion,
    String clusterId,
    NodeId from,
    NodeId to,
    long incarnation,
    long group,
    String address,
    Features features) {}
