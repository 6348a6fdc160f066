package io.kvorum.api;

import java.util.List;

/**
 * A transaction that was executed.
 *
 * @param header its revision is the transaction's own, or the current one when nothing was changed
 * @param succeeded whether all comparisons held
 * @param results of the branch that was executed, one for each operation, in order
 */
public record TxnResult(Header header, boolean succeeded, List<OpResult> results) {
  public TxnResult {
    results = List.copyOf(results);
  }
}
