package io.kvorum.node;

/** Reads the state machine at a moment when that is linearizable. Exactly one method is called. */
public interface ReadListener {
  /**
   * Called on the apply lane, between two applied batches, in a state that holds everything that
   * was acknowledged before the read was asked for.
   *
   * @return what to do on the node's loop afterwards: to answer
   */
  Runnable read();

  /** Called on the loop: the read was not made. */
  void refused(Refusal why);
}
