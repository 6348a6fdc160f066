package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Records what clients called and what they were answered. Any thread may record; times are the
 * caller's, of one clock for all processes, in whatever unit.
 *
 * <p>Record a call before it is sent, and a return after it has come back: an interval too long
 * hides a violation, one too short invents one. An operation that neither returned nor is known not
 * to have happened counts as one with unknown outcome.
 *
 * @param <I> what is asked for
 * @param <O> what is answered
 */
public final class History<I, O> {
  private final TreeMap<Long, Operation<I, O>> operations = new TreeMap<>();
  private long lastId;

  /** Records a call and gives it an id, for one of the methods below. */
  public synchronized long call(String process, I input, long at) {
    lastId++;
    operations.put(lastId, new Operation<>(lastId, process, input, null, at, Operation.NEVER));
    return lastId;
  }

  /** The call has returned this. */
  public synchronized void returned(long id, O output, long at) {
    Operation<I, O> open = open(id);
    operations.put(
        id, new Operation<>(id, open.process(), open.input(), output, open.calledAt(), at));
  }

  /** Nobody will ever know what came of the call; it stays as it is. */
  public synchronized void unknown(long id) {
    open(id);
  }

  /** The call has certainly not been executed, and never will be. */
  public synchronized void didNotHappen(long id) {
    open(id);
    operations.remove(id);
  }

  /** What was recorded up to now, in order of call. */
  public synchronized List<Operation<I, O>> operations() {
    List<Operation<I, O>> all = new ArrayList<>(operations.values());
    all.sort(Comparator.comparingLong(Operation::calledAt));
    return all;
  }

  private Operation<I, O> open(long id) {
    Operation<I, O> operation = operations.get(id);
    if (operation == null || !operation.isUnknown()) {
      throw new IllegalArgumentException("operation " + id + " is not open");
    }
    return operation;
  }
}
