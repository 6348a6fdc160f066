package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeOptions.SortBy;
import io.kvorum.api.RevisionFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a range read as it grows, offered one key after the other in order of key, or in
 * reverse order if the answer shall be.
 *
 * <p>It never holds more than what it will return: in an order other than that of keys, the worst
 * one leaves when a better one comes, and nothing comes in any more that is worse than one that was
 * left out (FAULTS F139).
 */
final class RangeAnswer {
  private final RangeOptions options;
  private final long bytesMax;

  /** Null: keys come in the order in which they are returned. */
  private final @Nullable Comparator<KeyValue> order;

  private final List<KeyValue> found = new ArrayList<>();
  private final TreeSet<KeyValue> sorted;
  private long count;
  private long bytes;

  /** The first one, in the order of the answer, that had to be left out. */
  private @Nullable KeyValue leftOut;

  /**
   * An answer without keys.
   *
   * @param bytesMax of keys and values, as {@link StoreLimits#answerBytes} counts them; one key
   *     comes in any case, or a reader could never get past it
   */
  RangeAnswer(RangeOptions options, long bytesMax) {
    this.options = options;
    this.bytesMax = bytesMax;
    this.order = order(options.order());
    this.sorted = new TreeSet<>(order == null ? Comparator.comparing(KeyValue::key) : order);
  }

  private static @Nullable Comparator<KeyValue> order(RangeOptions.Order order) {
    Comparator<KeyValue> by =
        switch (order.by()) {
          case KEY -> null;
          case VERSION -> Comparator.comparingLong(KeyValue::version);
          case CREATE_REVISION -> Comparator.comparingLong(KeyValue::createRevision);
          case MOD_REVISION -> Comparator.comparingLong(KeyValue::modRevision);
          case VALUE -> Comparator.comparing(KeyValue::value);
        };
    if (by == null) {
      return null;
    }
    return (order.descending() ? by.reversed() : by).thenComparing(KeyValue::key);
  }

  /** Reads a version of the key that is offered; null if it does not exist there. */
  @FunctionalInterface
  interface Version {
    @Nullable KeyValue read(boolean withValue);
  }

  /** Whether the rows should be scanned from the last to the first. */
  static boolean scansInReverse(RangeOptions options) {
    return options.reverse() && options.order().by() == SortBy.KEY;
  }

  /** Takes a key, or leaves it out; returns whether it exists. */
  boolean offer(Version version) {
    boolean withValue = readsValueAtOnce();
    KeyValue next = version.read(withValue);
    if (next == null) {
      return false;
    }
    count++;
    if (options.countOnly() || !options.filter().accepts(next) || isWorse(next)) {
      return true;
    }
    if (!withValue && options.content().values()) {
      next = version.read(true);
    }
    if (next == null) {
      throw new AssertionError("a version has gone while it was read");
    }
    if (order == null) {
      append(next);
    } else {
      insert(next);
    }
    return true;
  }

  /** A value is read only where it is returned, or sorted by. */
  private boolean readsValueAtOnce() {
    if (options.order().by() == SortBy.VALUE && !options.countOnly()) {
      return true;
    }
    boolean isReturned =
        order == null
            && leftOut == null
            && !isAtLimit(found.size())
            && options.filter().equals(RevisionFilter.NONE);
    return isReturned && options.content().values();
  }

  private boolean isAtLimit(int size) {
    return options.limit() != 0 && size >= options.limit();
  }

  /** Whether something before it in the answer's order was left out already. */
  private boolean isWorse(KeyValue next) {
    return leftOut != null && (order == null || order.compare(next, leftOut) > 0);
  }

  private void append(KeyValue next) {
    long nextBytes = StoreLimits.answerBytes(next);
    boolean isTooMuch = !found.isEmpty() && bytes + nextBytes > bytesMax;
    if (isAtLimit(found.size()) || isTooMuch) {
      leftOut = next;
      return;
    }
    found.add(next);
    bytes += nextBytes;
  }

  private void insert(KeyValue next) {
    sorted.add(next);
    bytes += StoreLimits.answerBytes(next);
    boolean isOverLimit = options.limit() != 0 && sorted.size() > options.limit();
    while (isOverLimit || (sorted.size() > 1 && bytes > bytesMax)) {
      isOverLimit = false;
      KeyValue worst = sorted.last();
      sorted.remove(worst);
      bytes -= StoreLimits.answerBytes(worst);
      leftOut = worst;
    }
  }

  /** Whether whatever is offered from now on changes nothing. */
  boolean isComplete() {
    return order == null && leftOut != null && !options.content().count();
  }

  /** The keys to return. */
  List<KeyValue> keyValues() {
    List<KeyValue> answer = order == null ? found : new ArrayList<>(sorted);
    boolean hasValues = options.order().by() == SortBy.VALUE && !options.content().values();
    return hasValues ? answer.stream().map(RangeAnswer::withoutValue).toList() : answer;
  }

  private static KeyValue withoutValue(KeyValue full) {
    return new KeyValue(
        full.key(),
        Bytes.EMPTY,
        full.createRevision(),
        full.modRevision(),
        full.version(),
        full.lease());
  }

  /** Whether something was left out. */
  boolean more() {
    return leftOut != null;
  }

  /** Whether something was left out although the limit would have let it in. */
  boolean isCutBySize() {
    return more() && !isAtLimit(Math.max(found.size(), sorted.size()));
  }

  /** How many keys there are, left out or not; 0 if that is not asked for. */
  long count() {
    return options.content().count() ? count : 0;
  }

  /** What the keys to return have, in bytes. */
  long bytes() {
    return bytes;
  }
}
