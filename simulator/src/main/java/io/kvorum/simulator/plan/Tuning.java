package io.kvorum.simulator.plan;

import io.kvorum.node.SpaceConfig;

/**
 * The settings of a run that make rare paths common: small files, short timeouts, slow disks.
 *
 * @param electionMillis silence of a leader after which another is elected, at least
 * @param heartbeatMillis between two messages of an idle leader; at least 10
 * @param segmentBytes of a log file: at least 16 KiB, a multiple of 4 KiB
 * @param overlayRows of the store kept on the heap before they are written to the tables
 * @param flushEvery so many batches of the tables, which makes them durable; 0: never
 * @param valueBytesMax of a value that clients write
 * @param thinkNanosMax between the end of a client's call and its next one
 * @param pipeline calls that each client has under way at the same time
 * @param slowDisks machines, from the first on, whose disks are slow
 * @param slowDiskNanosMax how long a write and sync takes there, at most
 * @param weather of the network at the start
 * @param hashEvery so many applied entries the whole state is hashed
 * @param healAll whether all machines come back in the end, or only as many as are needed
 * @param joiners machines, from the last one back, that are no members at the start
 * @param leaseReads whether the leader keeps a lease, and clients read by it
 * @param quietAfterMillis idleness after which the group is quiet; 0: never
 * @param prefersFirst whether n1 is the preferred leader
 * @param appendEntriesMax entries in one message between members
 * @param inflightMessagesMax messages with entries under way to one member
 * @param reserveBytes of the file that a node gives up on a full disk; its marks follow from that.
 *     0: nodes do not watch their space
 * @param quotas whether an operator gives the store a quota close to what it uses, now and then
 * @param snapshots whether and when snapshots are taken
 */
public record Tuning(
    int electionMillis,
    int heartbeatMillis,
    int segmentBytes,
    int overlayRows,
    int flushEvery,
    int valueBytesMax,
    long thinkNanosMax,
    int pipeline,
    int slowDisks,
    long slowDiskNanosMax,
    Fault.Weather weather,
    int hashEvery,
    boolean healAll,
    int joiners,
    boolean leaseReads,
    int quietAfterMillis,
    boolean prefersFirst,
    int appendEntriesMax,
    int inflightMessagesMax,
    int reserveBytes,
    boolean quotas,
    Snapshotting snapshots) {
  private static final int LOW_RESERVES = 12;

  /** A quick network and quick disks, the timeouts of production. */
  public static final Tuning DEFAULT =
      new Tuning(
          500,
          100,
          64 << 10,
          64,
          8,
          100,
          200_000_000,
          1,
          0,
          0,
          new Fault.Weather(1_000_000, 0, 0, 0),
          50,
          true,
          0,
          false,
          0,
          false,
          256,
          64,
          0,
          false,
          Snapshotting.NONE);

  /** With other snapshots. */
  public Tuning withSnapshots(Snapshotting other) {
    return with(segmentBytes, valueBytesMax, reserveBytes, quotas, other);
  }

  /** With a log that grows by other values in other segments. */
  Tuning withLog(int otherSegmentBytes, int otherValueBytesMax) {
    return with(otherSegmentBytes, otherValueBytesMax, reserveBytes, quotas, snapshots);
  }

  /** With nodes that watch the space on their disks. */
  public Tuning withReserveBytes(int bytes) {
    return with(segmentBytes, valueBytesMax, bytes, quotas, snapshots);
  }

  /** With an operator who sets quotas, or without. */
  public Tuning withQuotas(boolean sets) {
    return with(segmentBytes, valueBytesMax, reserveBytes, sets, snapshots);
  }

  /** How full a disk may become. */
  public SpaceConfig space() {
    return reserveBytes == 0
        ? SpaceConfig.NONE
        : SpaceConfig.withMarks(reserveBytes, (long) LOW_RESERVES * reserveBytes);
  }

  private Tuning with(
      int otherSegmentBytes,
      int otherValueBytesMax,
      int otherReserveBytes,
      boolean otherQuotas,
      Snapshotting other) {
    return new Tuning(
        electionMillis,
        heartbeatMillis,
        otherSegmentBytes,
        overlayRows,
        flushEvery,
        otherValueBytesMax,
        thinkNanosMax,
        pipeline,
        slowDisks,
        slowDiskNanosMax,
        weather,
        hashEvery,
        healAll,
        joiners,
        leaseReads,
        quietAfterMillis,
        prefersFirst,
        appendEntriesMax,
        inflightMessagesMax,
        otherReserveBytes,
        otherQuotas,
        other);
  }
}
