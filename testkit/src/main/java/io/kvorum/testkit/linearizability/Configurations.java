package io.kvorum.testkit.linearizability;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Where the search has been: a configuration is what was placed and the state that this led to, and
 * what can follow depends on nothing else (Lowe 2017).
 *
 * <p>What was placed is a bit for each operation. Nearly all are ones: the zeros are the operations
 * that are open and those behind the first return that is outstanding. So the operation that must
 * return next and the open ones say the same in a few numbers.
 *
 * <p>Operations of unknown outcome need not be placed at all. So of two configurations that differ
 * in these only, the one that has placed fewer can do whatever the other can.
 */
final class Configurations<S> {
  private static final long[][] NO_UNKNOWN = {IndexSet.EMPTY};

  private static final class Key<S> {
    private final int[] open;
    private final int urgent;
    private final S state;
    private final int hash;

    Key(int[] open, int urgent, S state) {
      this.open = open;
      this.urgent = urgent;
      this.state = state;
      this.hash = 31 * (31 * Arrays.hashCode(open) + urgent) + state.hashCode();
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key<?> key
          && hash == key.hash
          && urgent == key.urgent
          && Arrays.equals(open, key.open)
          && state.equals(key.state);
    }
  }

  private final Map<Key<S>, long[][]> seen = new HashMap<>();

  /**
   * Notes a configuration. False if it can do no more than one that was noted before.
   *
   * @param unknown the operations of unknown outcome that were placed
   */
  boolean add(int[] open, int urgent, S state, long[] unknown) {
    Key<S> key = new Key<>(open, urgent, state);
    long[][] before = seen.get(key);
    if (before == null) {
      seen.put(key, unknown.length == 0 ? NO_UNKNOWN : new long[][] {unknown});
      return true;
    }
    for (long[] set : before) {
      if (IndexSet.isSubset(set, unknown)) {
        return false;
      }
    }
    long[][] more = Arrays.copyOf(before, before.length + 1);
    more[before.length] = unknown;
    seen.put(key, more);
    return true;
  }
}
