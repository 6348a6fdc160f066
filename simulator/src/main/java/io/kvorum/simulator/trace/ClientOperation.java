package io.kvorum.simulator.trace;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.raft.NodeId;

/** What a client asks for. */
public sealed interface ClientOperation {
  /** Sets a key. The workload never writes a value twice, so a read tells whose write it saw. */
  record Put(Bytes key, Bytes value) implements ClientOperation {}

  /**
   * Reads a key, linearizably.
   *
   * @param lease whether the leader may answer from its lease
   */
  record Get(Bytes key, boolean lease) implements ClientOperation {
    /** Without a lease. */
    public Get(Bytes key) {
      this(key, false);
    }
  }

  /**
   * Reads a key from that member, which may not know of the latest writes.
   *
   * @param boundNanos how old they may be that it does not know of
   */
  record StaleGet(Bytes key, NodeId member, long boundNanos) implements ClientOperation {}

  /** Removes a key. */
  record Delete(Bytes key) implements ClientOperation {}

  /** Removes a range of keys. */
  record DeleteRange(KeyRange range) implements ClientOperation {}

  /** Reads a range of keys at one revision, linearizably. */
  record Range(KeyRange range) implements ClientOperation {}
}
