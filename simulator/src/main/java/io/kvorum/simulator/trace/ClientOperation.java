package io.kvorum.simulator.trace;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;

/** What a client asks for. */
public sealed interface ClientOperation {
  /** Sets a key. The workload never writes a value twice, so a read tells whose write it saw. */
  record Put(Bytes key, Bytes value) implements ClientOperation {}

  /** Reads a key, linearizably. */
  record Get(Bytes key) implements ClientOperation {}

  /** Removes a key. */
  record Delete(Bytes key) implements ClientOperation {}

  /** Removes a range of keys. */
  record DeleteRange(KeyRange range) implements ClientOperation {}

  /** Reads a range of keys at one revision, linearizably. */
  record Range(KeyRange range) implements ClientOperation {}
}
