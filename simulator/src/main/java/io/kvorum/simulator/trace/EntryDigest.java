package io.kvorum.simulator.trace;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import java.util.Arrays;

/**
 * A log entry by its identity and what it carries.
 *
 * @param payloadHash of the payload's bytes, its length included
 */
public record EntryDigest(long index, long term, EntryType type, long payloadHash) {
  /** The digest of an entry. */
  public static EntryDigest of(Entry entry) {
    byte[] payload = entry.payload();
    long hash = 31L * payload.length + Arrays.hashCode(payload);
    return new EntryDigest(entry.index(), entry.term(), entry.type(), hash);
  }

  /** Its index and term. */
  public EntryId id() {
    return new EntryId(index, term);
  }
}
