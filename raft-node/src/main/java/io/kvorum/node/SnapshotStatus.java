package io.kvorum.node;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.NodeId;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * What a node does about snapshots at one moment.
 *
 * @param newest the last entry in the newest snapshot; {@link EntryId#ZERO} if there is none
 * @param newestBytes of all its files
 * @param logBytes how much disk the log takes
 * @param taking whether one is being taken
 * @param takeFailure why the last attempt to take one failed; null if it did not
 * @param installing whether one is being installed
 * @param receiving the one that is arriving; null if none is
 * @param archiveFailure why the log is not archived; null if it is, or nobody wants it to be
 * @param sendingTo who is being sent one, and has asked lately
 */
public record SnapshotStatus(
    EntryId newest,
    long newestBytes,
    long logBytes,
    boolean taking,
    @Nullable String takeFailure,
    boolean installing,
    @Nullable Receiving receiving,
    @Nullable ArchiveFailure archiveFailure,
    SortedSet<NodeId> sendingTo) {

  /**
   * A snapshot that is arriving.
   *
   * @param from who is asked for it
   * @param last the last entry in it
   * @param receivedBytes how much is here
   * @param bytes how much it is
   */
  public record Receiving(NodeId from, EntryId last, long receivedBytes, long bytes) {}

  /**
   * The archive does not take the log.
   *
   * @param why the last attempt failed
   * @param sinceMillis when the first of the attempts that failed was made, since the epoch
   * @param keptBytes of the log that are kept only because of that
   */
  public record ArchiveFailure(String why, long sinceMillis, long keptBytes) {}
}
