package io.kvorum.node;

/**
 * Learns what became of a proposal: exactly one of these is called, once, on the node's loop.
 *
 * @param <R> what an entry results in
 */
public interface ProposalListener<R> {
  /** A majority holds it on disk, and this node has applied it. */
  void applied(R result);

  /** It was certainly not executed, and will not be. */
  void refused(Refusal why);

  /** It may have been executed, or may still be: this node lost the leadership or stops. */
  void unknown(String why);
}
