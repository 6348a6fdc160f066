package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a client asks a key-value store for. Keys and values are whatever text stands for them. */
public sealed interface KvInput {
  /** On one key; the only kind that may stand in a transaction. */
  sealed interface Single extends KvInput {
    /** The key it reads or changes. */
    String key();
  }

  /** Sets a value. */
  record Put(String key, String value) implements Single {
    @Override
    public String toString() {
      return "put " + key + "=" + value;
    }
  }

  /** Reads a key. */
  record Get(String key) implements Single {
    @Override
    public String toString() {
      return "get " + key;
    }
  }

  /** Deletes a key; makes a revision only if there was one. Succeeds if there was one. */
  record Delete(String key) implements Single {
    @Override
    public String toString() {
      return "delete " + key;
    }
  }

  /**
   * Sets a value if the key holds another one.
   *
   * @param expected null: if the key does not exist
   */
  record CompareAndSet(String key, @Nullable String expected, String value) implements Single {
    @Override
    public String toString() {
      String now = expected == null ? "absent" : expected;
      return "compare-and-set " + key + " from " + now + " to " + value;
    }
  }

  /** Adds to the end of a value; a key that does not exist gets the suffix as its value. */
  record Append(String key, String suffix) implements Single {
    @Override
    public String toString() {
      return "append " + key + "+" + suffix;
    }
  }

  /**
   * If all compares hold, the operations of {@code success}, otherwise those of {@code failure}: at
   * one instant, in this order, in one revision.
   */
  record Txn(List<KvCompare> compares, List<Single> success, List<Single> failure)
      implements KvInput {
    public Txn {
      compares = List.copyOf(compares);
      success = List.copyOf(success);
      failure = List.copyOf(failure);
      if (compares.isEmpty() && success.isEmpty()) {
        throw new IllegalArgumentException("a transaction without compare does something");
      }
    }

    /** Without a condition. */
    public static Txn of(Single... operations) {
      return new Txn(List.of(), List.of(operations), List.of());
    }

    @Override
    public String toString() {
      String then = "txn " + (compares.isEmpty() ? "" : "if " + compares + " then ") + success;
      return failure.isEmpty() ? then : then + " else " + failure;
    }
  }

  /** Every key that the answer or the effect can depend on. */
  default Set<String> keys() {
    Set<String> keys = new TreeSet<>();
    if (this instanceof Single single) {
      keys.add(single.key());
    } else if (this instanceof Txn txn) {
      txn.compares().forEach(compare -> keys.add(compare.key()));
      branches(txn).forEach(single -> keys.add(single.key()));
    } else {
      throw new AssertionError("no such input: " + this);
    }
    return keys;
  }

  /**
   * Whether it has made a revision, whatever the state was.
   *
   * @param succeeded what its answer said; null if that is not known
   */
  default boolean certainlyChanges(@Nullable Boolean succeeded) {
    return this instanceof Put
        || this instanceof Append
        || (Boolean.TRUE.equals(succeeded)
            && (this instanceof Delete || this instanceof CompareAndSet));
  }

  /**
   * Whether the key may hold, behind this, what stands at the start of the value, without having
   * held it before.
   *
   * @param value null: whether the key may be absent
   */
  default boolean canGive(String key, @Nullable String value) {
    if (this instanceof Txn txn) {
      return branches(txn).stream().anyMatch(single -> single.canGive(key, value));
    }
    if (!(this instanceof Single single) || !single.key().equals(key)) {
      return false;
    }
    if (value == null) {
      return this instanceof Delete;
    }
    return (this instanceof Put put && value.startsWith(put.value()))
        || (this instanceof CompareAndSet set && value.startsWith(set.value()))
        || (this instanceof Append append && value.startsWith(append.suffix()));
  }

  /** Whether it may add what stands at the start of the suffix to what the key holds. */
  default boolean canAppend(String key, String suffix) {
    if (this instanceof Txn txn) {
      return branches(txn).stream().anyMatch(single -> single.canAppend(key, suffix));
    }
    return this instanceof Append append
        && append.key().equals(key)
        && suffix.startsWith(append.suffix());
  }

  private static List<Single> branches(Txn txn) {
    List<Single> all = new ArrayList<>(txn.success());
    all.addAll(txn.failure());
    return all;
  }

  /**
   * Whether it changes nothing, whatever the state.
   *
   * @param succeeded what its answer said; null if that is not known
   */
  default boolean isReadOnly(@Nullable Boolean succeeded) {
    if (this instanceof Txn txn) {
      List<Single> run =
          succeeded == null ? branches(txn) : succeeded ? txn.success() : txn.failure();
      return run.stream().allMatch(Get.class::isInstance);
    }
    boolean failed = succeeded != null && !succeeded;
    return this instanceof Get || (failed && !(this instanceof Put || this instanceof Append));
  }
}
