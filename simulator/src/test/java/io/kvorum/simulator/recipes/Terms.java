package io.kvorum.simulator.recipes;

import io.kvorum.client.recipes.Leadership;
import io.kvorum.client.recipes.TermListener;
import java.util.List;

/**
 * Writes down what a candidate hears of its terms.
 *
 * @param heard "elected" and "lost", each with the term, and the reason
 */
record Terms(List<String> heard) implements TermListener {
  @Override
  public void elected(Leadership leadership) {
    heard.add("elected " + leadership.term());
  }

  @Override
  public void lost(long term, String why) {
    heard.add("lost " + term + ": " + why);
  }
}
