package io.kvorum.server.watch;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to hear of a key. Single keys by hash; other ranges in a search tree over where they
 * begin, of which each node knows how far the ranges below it reach: a key finds its k ranges among
 * n in O(log n + k), and one that nobody watches finds nothing in O(log n).
 *
 * <p>The tree is a treap: balanced by priorities that look random and are a function of the order
 * of insertion, so that the same calls lead to the same tree.
 */
final class RangeIndex<T> {
  private final Map<Bytes, Set<T>> byKey = new HashMap<>();
  private final Map<KeyRange, Node<T>> byRange = new HashMap<>();
  private @Nullable Node<T> root;
  private long inserted;
  private int size;

  /** A range and who wants it. */
  private static final class Node<T> {
    final KeyRange range;
    final long priority;
    final Set<T> members = new LinkedHashSet<>();
    @Nullable Node<T> left;
    @Nullable Node<T> right;

    /** The farthest end of this node's range and those below it; null: one has no end. */
    @Nullable Bytes reach;

    Node(KeyRange range, long priority) {
      this.range = range;
      this.priority = priority;
      this.reach = range.to();
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  void add(KeyRange range, T member) {
    boolean isNew;
    if (range.isSingle()) {
      isNew = byKey.computeIfAbsent(range.from(), key -> new LinkedHashSet<>()).add(member);
    } else {
      Node<T> node = byRange.get(range);
      if (node == null) {
        node = new Node<>(range, mixed(++inserted));
        byRange.put(range, node);
        root = insert(root, node);
      }
      isNew = node.members.add(member);
    }
    size += isNew ? 1 : 0;
  }

  /** Removes it, if it is there. */
  void remove(KeyRange range, T member) {
    boolean isRemoved = false;
    if (range.isSingle()) {
      Set<T> members = byKey.get(range.from());
      isRemoved = members != null && members.remove(member);
      if (members != null && members.isEmpty()) {
        byKey.remove(range.from());
      }
    } else {
      Node<T> node = byRange.get(range);
      isRemoved = node != null && node.members.remove(member);
      if (node != null && node.members.isEmpty()) {
        byRange.remove(range);
        root = delete(root, node);
      }
    }
    size -= isRemoved ? 1 : 0;
  }

  /** All that want to hear of the key; in a list of its own. */
  List<T> matching(Bytes key) {
    List<T> found = new ArrayList<>();
    Set<T> exact = byKey.get(key);
    if (exact != null) {
      found.addAll(exact);
    }
    collect(root, key, found);
    return found;
  }

  private static <T> void collect(@Nullable Node<T> node, Bytes key, List<T> found) {
    if (node == null || (node.reach != null && node.reach.compareTo(key) <= 0)) {
      // Nothing in here reaches as far as the key.
      return;
    }
    collect(node.left, key, found);
    if (node.range.from().compareTo(key) <= 0) {
      if (node.range.contains(key)) {
        found.addAll(node.members);
      }
      collect(node.right, key, found);
    }
  }

  private static <T> Node<T> insert(@Nullable Node<T> at, Node<T> added) {
    if (at == null) {
      return added;
    }
    if (order(added.range, at.range) < 0) {
      Node<T> left = insert(at.left, added);
      at.left = left;
      return updated(left.priority > at.priority ? rotatedRight(at, left) : at);
    }
    Node<T> right = insert(at.right, added);
    at.right = right;
    return updated(right.priority > at.priority ? rotatedLeft(at, right) : at);
  }

  private static <T> Node<T> rotatedRight(Node<T> at, Node<T> left) {
    at.left = left.right;
    left.right = updated(at);
    return left;
  }

  private static <T> Node<T> rotatedLeft(Node<T> at, Node<T> right) {
    at.right = right.left;
    right.left = updated(at);
    return right;
  }

  private static <T> @Nullable Node<T> delete(@Nullable Node<T> at, Node<T> victim) {
    if (at == null) {
      throw new AssertionError("a known range is in the tree: " + victim.range);
    }
    if (at == victim) {
      return merged(at.left, at.right);
    }
    if (order(victim.range, at.range) < 0) {
      at.left = delete(at.left, victim);
    } else {
      at.right = delete(at.right, victim);
    }
    return updated(at);
  }

  /** All of {@code low} is before all of {@code high}. */
  private static <T> @Nullable Node<T> merged(@Nullable Node<T> low, @Nullable Node<T> high) {
    if (low == null || high == null) {
      return low == null ? high : low;
    }
    if (low.priority > high.priority) {
      low.right = merged(low.right, high);
      return updated(low);
    }
    high.left = merged(low, high.left);
    return updated(high);
  }

  private static <T> Node<T> updated(Node<T> node) {
    Bytes reach = node.range.to();
    for (Node<T> below : children(node)) {
      reach = farther(reach, below.reach);
    }
    node.reach = reach;
    return node;
  }

  private static <T> List<Node<T>> children(Node<T> node) {
    List<Node<T>> below = new ArrayList<>(2);
    if (node.left != null) {
      below.add(node.left);
    }
    if (node.right != null) {
      below.add(node.right);
    }
    return below;
  }

  private static @Nullable Bytes farther(@Nullable Bytes one, @Nullable Bytes other) {
    if (one == null || other == null) {
      return null;
    }
    return one.compareTo(other) >= 0 ? one : other;
  }

  private static int order(KeyRange one, KeyRange other) {
    int byFrom = one.from().compareTo(other.from());
    Bytes to = one.to();
    Bytes otherTo = other.to();
    if (byFrom != 0 || to == null || otherTo == null) {
      return byFrom != 0 ? byFrom : Boolean.compare(to == null, otherTo == null);
    }
    return to.compareTo(otherTo);
  }

  /** Spreads the bits (the finalizer of SplitMix64). */
  private static long mixed(long number) {
    long z = number * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
