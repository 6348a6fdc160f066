package io.kvorum.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.kvorum.raft.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks and verdicts in plain text, about the one number that a {@link TestMachine} is. */
final class TestChecks implements StateChecks {
  private static final String CHECK = "check";
  private static final String VERDICT = "verdict ";

  /** Of the hash that this member reckons with. */
  int format = 1;

  /** How many entries are between two checks. */
  private final long everyEntries;

  private List<StateSum> remembered = new ArrayList<>();
  private long judged;
  private long confirmed;
  private @Nullable StateFinding finding;
  boolean distrusted;

  TestChecks(long everyEntries) {
    this.everyEntries = everyEntries;
  }

  /** Says whether the entry is about the states. */
  boolean applied(Entry entry, long sum) {
    String text = new String(entry.payload(), US_ASCII);
    if (text.equals(CHECK)) {
      remembered.add(new StateSum(entry.index(), format, Long.toHexString(sum)));
      if (remembered.size() > SnapshotFrame.Sums.COUNT_MAX) {
        remembered.remove(0);
      }
    } else if (text.startsWith(VERDICT)) {
      String[] parts = text.split(" ", -1);
      judge(
          entry.index(),
          new StateSum(Long.parseLong(parts[1]), Integer.parseInt(parts[2]), parts[3]));
    }
    return text.equals(CHECK) || text.startsWith(VERDICT);
  }

  private void judge(long index, StateSum agreed) {
    judged = agreed.index();
    for (StateSum own : remembered) {
      if (own.contradicts(agreed)) {
        finding = new Divergence(index, own, agreed);
      } else if (own.isComparable(agreed)) {
        confirmed = agreed.index();
      }
    }
  }

  void contradicted(long index, String why) {
    finding = new Contradiction(index, why);
  }

  void replaced() {
    remembered = new ArrayList<>();
    confirmed = 0;
    finding = null;
    distrusted = false;
  }

  @Override
  public long everyEntries() {
    return everyEntries;
  }

  @Override
  public byte[] check() {
    return CHECK.getBytes(US_ASCII);
  }

  @Override
  public byte[] verdict(StateSum agreed) {
    return (VERDICT + agreed.index() + " " + agreed.format() + " " + agreed.hash())
        .getBytes(US_ASCII);
  }

  @Override
  public List<StateSum> remembered() {
    return List.copyOf(remembered);
  }

  @Override
  public long judgedIndex() {
    return judged;
  }

  @Override
  public long confirmedIndex() {
    return confirmed;
  }

  @Override
  public @Nullable StateFinding finding() {
    return finding;
  }

  @Override
  public void distrust() {
    distrusted = true;
  }
}
