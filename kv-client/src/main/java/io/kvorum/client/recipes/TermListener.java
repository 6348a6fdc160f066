package io.kvorum.client.recipes;

/**
 * Hears of the terms in which a {@link Candidacy} leads: elected and lost in turn, one call at a
 * time, on the executor for callbacks. It may block; a loss is told when it has returned.
 */
public interface TermListener {
  /** A term has begun. {@link Leadership#isLeading} says at any time whether it lasts. */
  void elected(Leadership leadership);

  /**
   * A term is over, or nobody can say any more that it is not. Told also after the candidacy was
   * closed, if it led.
   *
   * @param why in words
   */
  void lost(long term, String why);
}
