package io.kvorum.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the members of a group find out that one of them holds another state (docs/adr/0014). The
 * leader now and then proposes {@link #check}, behind which every member remembers what its state
 * sums up to; it hears of that from the others, and if a majority says the same, whatever its own
 * state is, it proposes {@link #verdict}. Who remembers another sum then stops at that entry.
 *
 * <p>What is remembered belongs to this process, not to the replicated state: neither command
 * changes that.
 */
public interface StateChecks {
  /** Nothing is compared. */
  StateChecks NONE = new Nothing();

  /** So many entries behind a check the leader proposes the next one; 0: never. */
  long everyEntries();

  /** The command of a check. */
  byte[] check();

  /** The command that says what a majority has found behind the check of that index. */
  byte[] verdict(StateSum agreed);

  /**
   * The newest sums, oldest first, no more than {@link SnapshotFrame.Sums#COUNT_MAX}; none of a
   * check that was applied by an earlier process. Any thread.
   */
  List<StateSum> remembered();

  /** The newest check for which a verdict was applied here; 0: none. Any thread. */
  long judgedIndex();

  /**
   * The newest check for which a verdict said what is remembered here; 0: none was, or it could not
   * be compared. Any thread.
   */
  long confirmedIndex();

  /**
   * What the last verdict, or an entry that could not be applied, says against the state; null if
   * nothing does. The state machine then applies nothing more until a state is installed. Any
   * thread.
   */
  @Nullable StateFinding finding();

  /**
   * Whether the state was seen to be another one than was written, and no verdict has ended that.
   * No snapshots come of it meanwhile, so this member should not lead if another can. Any thread.
   */
  default boolean isDoubted() {
    return false;
  }

  /**
   * The state counts as wrong, since an earlier process has found that, or by the {@link #finding}.
   * Whatever a snapshot of the majority holds may take its place, even if that looks older. While
   * nothing is applied.
   */
  void distrust();

  /** For state machines whose states cannot be summed up. */
  final class Nothing implements StateChecks {
    private Nothing() {}

    @Override
    public long everyEntries() {
      return 0;
    }

    @Override
    public byte[] check() {
      throw new IllegalStateException("nothing is checked");
    }

    @Override
    public byte[] verdict(StateSum agreed) {
      throw new IllegalStateException("nothing is checked");
    }

    @Override
    public List<StateSum> remembered() {
      return List.of();
    }

    @Override
    public long judgedIndex() {
      return 0;
    }

    @Override
    public long confirmedIndex() {
      return 0;
    }

    @Override
    public @Nullable StateFinding finding() {
      return null;
    }

    @Override
    public void distrust() {
      // Whatever is installed, is.
    }
  }
}
