package io.kvorum.raft;

/**
 * One entry of the log.
 *
 * @param index position in the log, from 1
 * @param term the term of the leader that created it, from 1
 * @param type what the payload is
 * @param payload the bytes, shared and never changed after construction; compared by identity
 */
@SuppressWarnings("ArrayRecordComponent") // The hot path hands one array from socket to disk.
public record Entry(long index, long term, EntryType type, byte[] payload) {
  /** What an entry counts against byte limits beyond its payload: the record header. */
  public static final int OVERHEAD_BYTES = 32;

  private static final byte[] NOTHING = {};

  public Entry {
    if (index < 1 || term < 1) {
      throw new IllegalArgumentException("entry " + index + "@" + term + " is before the first");
    }
  }

  /** The entry with which a leader opens its term. */
  public static Entry noOp(long index, long term) {
    return new Entry(index, term, EntryType.NO_OP, NOTHING);
  }

  /** Its index and term. */
  public EntryId id() {
    return new EntryId(index, term);
  }

  /** What it counts against byte limits: payload and record header. */
  public int sizeBytes() {
    return payload.length + OVERHEAD_BYTES;
  }

  @Override
  public String toString() {
    return index + "@" + term + ":" + type + "[" + payload.length + "]";
  }
}
