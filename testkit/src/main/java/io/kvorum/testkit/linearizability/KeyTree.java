package io.kvorum.testkit.linearizability;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map from key to what it holds. A change shares all but a path with the map before,
 * so that a search can remember many states; a treap whose priorities are hashes of the keys, so
 * that equal maps have equal shapes.
 */
final class KeyTree {
  private final String key;
  private final Held held;
  private final @Nullable KeyTree left;
  private final @Nullable KeyTree right;
  private final int hash;

  private KeyTree(String key, Held held, @Nullable KeyTree left, @Nullable KeyTree right) {
    this.key = key;
    this.held = held;
    this.left = left;
    this.right = right;
    this.hash = mix(31 * key.hashCode() + held.hashCode()) + hash(left) + hash(right);
  }

  /** Of a map, which is null if it is empty. */
  static int hash(@Nullable KeyTree tree) {
    return tree == null ? 0 : tree.hash;
  }

  static boolean equals(@Nullable KeyTree one, @Nullable KeyTree other) {
    if (one == other) {
      return true;
    }
    return one != null
        && other != null
        && one.hash == other.hash
        && one.key.equals(other.key)
        && one.held.equals(other.held)
        && equals(one.left, other.left)
        && equals(one.right, other.right);
  }

  static @Nullable Held find(@Nullable KeyTree tree, String key) {
    KeyTree at = tree;
    while (at != null) {
      int order = key.compareTo(at.key);
      if (order == 0) {
        return at.held;
      }
      at = order < 0 ? at.left : at.right;
    }
    return null;
  }

  static KeyTree put(@Nullable KeyTree tree, String key, Held held) {
    if (tree == null) {
      return new KeyTree(key, held, null, null);
    }
    int order = key.compareTo(tree.key);
    if (order == 0) {
      return new KeyTree(key, held, tree.left, tree.right);
    }
    if (order < 0) {
      KeyTree child = put(tree.left, key, held);
      return isAbove(child, tree)
          ? new KeyTree(child.key, child.held, child.left, tree.with(child.right, tree.right))
          : tree.with(child, tree.right);
    }
    KeyTree child = put(tree.right, key, held);
    return isAbove(child, tree)
        ? new KeyTree(child.key, child.held, tree.with(tree.left, child.left), child.right)
        : tree.with(tree.left, child);
  }

  static @Nullable KeyTree remove(@Nullable KeyTree tree, String key) {
    if (tree == null) {
      return null;
    }
    int order = key.compareTo(tree.key);
    if (order == 0) {
      return join(tree.left, tree.right);
    }
    return order < 0
        ? tree.with(remove(tree.left, key), tree.right)
        : tree.with(tree.left, remove(tree.right, key));
  }

  private static @Nullable KeyTree join(@Nullable KeyTree left, @Nullable KeyTree right) {
    if (left == null || right == null) {
      return left == null ? right : left;
    }
    return isAbove(left, right)
        ? left.with(left.left, join(left.right, right))
        : right.with(join(left, right.left), right.right);
  }

  private KeyTree with(@Nullable KeyTree newLeft, @Nullable KeyTree newRight) {
    return new KeyTree(key, held, newLeft, newRight);
  }

  private static boolean isAbove(KeyTree one, KeyTree other) {
    int order = Integer.compare(mix(one.key.hashCode()), mix(other.key.hashCode()));
    return order != 0 ? order > 0 : one.key.compareTo(other.key) > 0;
  }

  private static int mix(int hash) {
    int mixed = (hash ^ hash >>> 16) * 0x45d9f3b;
    mixed = (mixed ^ mixed >>> 16) * 0x45d9f3b;
    return mixed ^ mixed >>> 16;
  }

  void describe(StringJoiner text) {
    if (left != null) {
      left.describe(text);
    }
    text.add(key + "=" + held);
    if (right != null) {
      right.describe(text);
    }
  }
}
