package io.kvorum.server.store;

import io.kvorum.node.Contradiction;
import io.kvorum.node.Divergence;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.StateChecks;
import io.kvorum.node.StateFinding;
import io.kvorum.node.StateSum;
import io.kvorum.server.store.protocol.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a store remembers of its own hashes, for the verdicts of a majority about them
 * (docs/adr/0014). None of it is replicated state. Written on the apply lane.
 */
final class CheckMemory implements StateChecks {
  /** Of {@link StateHash}, as docs/FORMATS.md has it. Another one cannot be compared with it. */
  static final int HASH_FORMAT = 2;

  private final long everyEntries;
  private final BooleanSupplier doubted;
  private volatile List<StateSum> remembered = List.of();
  private volatile long judgedIndex;
  private volatile long confirmedIndex;
  private volatile @Nullable StateFinding finding;
  private volatile boolean distrusted;

  /** The first check behind which the hash was a corrected one; 0: there is no doubt. */
  private long doubtedIndex;

  CheckMemory(long everyEntries, BooleanSupplier doubted) {
    this.everyEntries = everyEntries;
    this.doubted = doubted;
  }

  @Override
  public long everyEntries() {
    return everyEntries;
  }

  @Override
  public byte[] check() {
    return Commands.check();
  }

  @Override
  public byte[] verdict(StateSum agreed) {
    return Commands.verdict(agreed);
  }

  @Override
  public List<StateSum> remembered() {
    return remembered;
  }

  @Override
  public long judgedIndex() {
    return judgedIndex;
  }

  @Override
  public long confirmedIndex() {
    return confirmedIndex;
  }

  @Override
  public @Nullable StateFinding finding() {
    return finding;
  }

  @Override
  public boolean isDoubted() {
    return doubted.getAsBoolean();
  }

  @Override
  public void distrust() {
    distrusted = true;
  }

  /** Whether the state may be wrong in anything. */
  boolean isDistrusted() {
    return distrusted || finding != null;
  }

  /**
   * A check was applied: behind it the state has this hash.
   *
   * @param isDoubted whether the rows were found to be others than were written
   */
  void remember(long index, StateHash hash, boolean isDoubted) {
    if (isDoubted && doubtedIndex == 0) {
      doubtedIndex = index;
    }
    List<StateSum> now = new ArrayList<>(remembered);
    now.add(new StateSum(index, HASH_FORMAT, hash.toString()));
    if (now.size() > SnapshotFrame.Sums.COUNT_MAX) {
      now.remove(0);
    }
    remembered = List.copyOf(now);
  }

  /**
   * A verdict was applied. What is not remembered, or was reckoned otherwise, proves nothing.
   *
   * @return whether it has ended a doubt about the rows: they are as the majority's
   */
  boolean judge(long verdictIndex, Verdict verdict) {
    StateSum agreed = Commands.agreed(verdict);
    judgedIndex = agreed.index();
    for (StateSum own : remembered) {
      if (own.contradicts(agreed)) {
        finding = new Divergence(verdictIndex, own, agreed);
      } else if (own.isComparable(agreed)) {
        confirmedIndex = agreed.index();
      }
    }
    boolean isSettled = doubtedIndex > 0 && confirmedIndex >= doubtedIndex;
    if (isSettled) {
      doubtedIndex = 0;
    }
    return isSettled;
  }

  /** A committed entry could not be applied, by a rule that every state follows. */
  void contradicted(long index, String why) {
    finding = new Contradiction(index, why);
  }

  /** Whether the last entry was not applied, or not wholly. */
  boolean isContradicted() {
    return finding instanceof Contradiction;
  }

  /** Another state is here now, of which nothing is remembered. */
  void replaced() {
    remembered = List.of();
    confirmedIndex = 0;
    finding = null;
    distrusted = false;
    doubtedIndex = 0;
  }
}
