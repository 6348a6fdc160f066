package io.kvorum.node;

/**
 * Reads the state machine at a moment when that is as fresh as the mode of the read says. One of
 * the methods is called, and that once; but a read by {@link io.kvorum.raft.ReadMode#LEASE} may be
 * made a second time, or refused after it was made: what it returned first is then dropped. So such
 * a read answers nowhere but in the task that it returns.
 */
public interface ReadListener {
  /**
   * Called on the apply lane, between two applied batches, in a state that holds everything that
   * was acknowledged before the read was asked for, or up to the bound of a stale read before it.
   *
   * @return what to do on the node's loop afterwards: to answer
   */
  Runnable read();

  /** Called on the loop: the read was not made. */
  void refused(Refusal why);
}
