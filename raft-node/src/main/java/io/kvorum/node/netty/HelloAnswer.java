package io.kvorum.node.netty;

import io.kvorum.node.Features;
import org.jspecify.annotations.Nullable;

/**
 * What a node answers to a {@link Greeting}.
 *
 * @param refusal why it wants nothing of the sender; null if it does
 * @param group to which the node that answers belongs; {@link io.kvorum.node.GroupMark#UNKNOWN} if
 *     it does not know yet
 * @param features what it has of what not every version has
 */
public record HelloAnswer(@Nullable String refusal, long group, Features features) {}
