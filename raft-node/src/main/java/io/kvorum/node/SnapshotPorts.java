package io.kvorum.node;

import io.kvorum.snapshot.SnapshotStore;

/**
 * What snapshots need beside the rest of a node's ports.
 *
 * @param lane owns the store, and does what takes long
 * @param mark says across a crash what is being installed
 * @param quarantine says across a crash that the state is wrong
 */
public record SnapshotPorts(
    Lane lane, SnapshotStore store, InstallMark mark, QuarantineMark quarantine) {}
