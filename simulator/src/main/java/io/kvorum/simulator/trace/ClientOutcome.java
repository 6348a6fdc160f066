package io.kvorum.simulator.trace;

import io.kvorum.api.KeyValue;
import io.kvorum.api.OpResult;
import io.kvorum.api.TxnResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a client's call has ended. */
public sealed interface ClientOutcome {
  /**
   * It was executed.
   *
   * @param revision of the header: the store's revision when a read was made, the write's own
   * @param deleted how many keys a delete removed; 0 for others
   * @param keyValues what a read found, in order of key; those of a transaction in their order;
   *     empty for others
   * @param succeeded whether the comparisons of a transaction held; null for others
   */
  record Done(long revision, long deleted, List<KeyValue> keyValues, @Nullable Boolean succeeded)
      implements ClientOutcome {
    /** Of what is no transaction. */
    public Done(long revision, long deleted, List<KeyValue> keyValues) {
      this(revision, deleted, keyValues, null);
    }

    /** Of a transaction. */
    public static Done of(TxnResult result) {
      long deleted = 0;
      List<KeyValue> found = new ArrayList<>();
      for (OpResult each : result.results()) {
        if (each instanceof OpResult.DeleteRange delete) {
          deleted += delete.deleted();
        } else if (each instanceof OpResult.Range range) {
          found.addAll(range.keyValues());
        }
      }
      return new Done(result.header().revision(), deleted, List.copyOf(found), result.succeeded());
    }
  }

  /** It was certainly not executed, and will not be. */
  record Failed(String why) implements ClientOutcome {}

  /** It may have been executed, or may be later. */
  record Unknown(String why) implements ClientOutcome {}
}
