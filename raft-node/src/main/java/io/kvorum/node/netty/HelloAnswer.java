package io.kvorum.node.netty;

import org.jspecify.annotations.Nullable;

/**
 * What a node answers to a {@link Greeting}.
 *
 * @param refusal why it wants nothing of the sender; null if it does
 * @param group to which the node that answers belongs; {@link io.kvorum.node.GroupMark#UNKNOWN} if
 *     it does not know yet
 * @param features what it takes, a bit each, of what not every version takes
 */
public record HelloAnswer(@Nullable String refusal, long group, int features) {}
