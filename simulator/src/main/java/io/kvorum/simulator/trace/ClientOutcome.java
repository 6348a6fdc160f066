package io.kvorum.simulator.trace;

import io.kvorum.api.KeyValue;
import java.util.List;

/** How a client's call has ended. */
public sealed interface ClientOutcome {
  /**
   * It was executed.
   *
   * @param revision of the header: the store's revision when a read was made, the write's own
   * @param deleted how many keys a delete removed; 0 for others
   * @param keyValues what a read found, in order of key; empty for others
   */
  record Done(long revision, long deleted, List<KeyValue> keyValues) implements ClientOutcome {}

  /** It was certainly not executed, and will not be. */
  record Failed(String why) implements ClientOutcome {}

  /** It may have been executed, or may be later. */
  record Unknown(String why) implements ClientOutcome {}
}
