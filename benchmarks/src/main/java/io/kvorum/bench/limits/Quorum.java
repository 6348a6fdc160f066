package io.kvorum.bench.limits;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Which batches a majority of the nodes has synced. Batches are numbered from 1 on, and each node
 * syncs them in this order. Thread-safe.
 */
final class Quorum {
  private final long[] synced;
  private final Deque<Integer> open = new ArrayDeque<>();
  private long begun;
  private long decided;

  /** Of so many nodes, which are called by numbers from 0 on. */
  Quorum(int nodes) {
    this.synced = new long[nodes];
  }

  /** One more batch is on its way to all nodes; returns its number. */
  synchronized long begin(int records) {
    open.add(records);
    begun++;
    return begun;
  }

  /**
   * A node has synced all batches up to this one.
   *
   * @return the records of each batch that a majority has only now
   * @throws IllegalStateException if it has said so before, or cannot have got that batch
   */
  synchronized List<Integer> synced(int node, long batch) {
    if (batch <= synced[node] || batch > begun) {
      throw new IllegalStateException(
          "node " + node + " says batch " + batch + " after " + synced[node] + " of " + begun);
    }
    synced[node] = batch;
    long[] ascending = synced.clone();
    Arrays.sort(ascending);
    // The last majority / nodes of them have come at least as far as the first of these.
    long majority = ascending[(ascending.length - 1) / 2];
    List<Integer> news = new ArrayList<>();
    for (; decided < majority; decided++) {
      news.add(open.remove());
    }
    return news;
  }
}
