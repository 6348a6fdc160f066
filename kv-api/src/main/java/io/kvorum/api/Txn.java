package io.kvorum.api;

import java.util.ArrayList;
import java.util.List;

/**
 * A transaction: if all comparisons hold, the operations of {@code success} are executed, otherwise
 * those of {@code failure}; all at one instant, all or none.
 *
 * <pre>{@code
 * client.txn(
 *     Txn.when(Compare.modRevision(key).isEqualTo(0))
 *         .then(Op.put(key, value))
 *         .otherwise(Op.get(key)));
 * }</pre>
 *
 * <p>Operations are executed in order, and each sees what those before it have written. Everything
 * that a transaction changes has one revision. Comparisons look at the state before the
 * transaction, those of inner transactions too.
 *
 * <p>No key may be put twice, or both put and deleted, whichever way the comparisons turn out: such
 * a transaction is refused ({@link KvException.Reason#DUPLICATE_KEY}). Either branch may write what
 * the other one writes, and deletes may overlap each other.
 *
 * @param compares none: success
 */
public record Txn(List<Compare> compares, List<Op> success, List<Op> failure) {
  public Txn {
    compares = List.copyOf(compares);
    success = List.copyOf(success);
    failure = List.copyOf(failure);
  }

  /** The comparisons that decide; what follows from them is said by what is called next. */
  public static Txn when(Compare... compares) {
    return new Txn(List.of(compares), List.of(), List.of());
  }

  /** These operations, whatever the state. */
  public static Txn of(Op... operations) {
    return new Txn(List.of(), List.of(operations), List.of());
  }

  /** With these operations behind those for the case that all comparisons hold. */
  public Txn then(Op... operations) {
    return new Txn(compares, joined(success, operations), failure);
  }

  /** With these operations behind those for the case that some comparison does not hold. */
  public Txn otherwise(Op... operations) {
    return new Txn(compares, success, joined(failure, operations));
  }

  private static List<Op> joined(List<Op> before, Op... more) {
    List<Op> all = new ArrayList<>(before);
    all.addAll(List.of(more));
    return all;
  }

  /** Whether no branch can change anything. */
  public boolean onlyReads() {
    return success.stream().allMatch(Op::onlyReads) && failure.stream().allMatch(Op::onlyReads);
  }
}
