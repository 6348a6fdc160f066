package io.kvorum.node;

import java.util.concurrent.Executor;

/**
 * What a node needs to watch the space on its disk.
 *
 * @param files where it is looked at, and where the reserve is made
 */
public record SpacePorts(DiskSpace space, Executor files) {}
