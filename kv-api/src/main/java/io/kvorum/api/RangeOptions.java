package io.kvorum.api;

/**
 * How to read a range.
 *
 * @param limit the most keys to return, of those that the filter lets through, in the order asked
 *     for; 0: as many as one answer holds
 * @param revision the state as of this revision; 0: now
 * @param order in which the keys come; the limit counts in it
 * @param content what the answer holds
 * @param filter which keys come, by their revisions
 * @param consistency what the answer may rest on
 */
public record RangeOptions(
    long limit,
    long revision,
    Order order,
    Content content,
    RevisionFilter filter,
    ReadConsistency consistency) {
  public static final RangeOptions DEFAULT =
      new RangeOptions(
          0, 0, Order.BY_KEY, Content.ALL, RevisionFilter.NONE, ReadConsistency.LINEARIZABLE);

  /** What keys are sorted by. */
  public enum SortBy {
    KEY,
    VERSION,
    CREATE_REVISION,
    MOD_REVISION,
    /** Byte by byte, unsigned. */
    VALUE
  }

  /**
   * An order of keys. Those that are equal in it come in ascending order of key, whatever the
   * direction.
   *
   * @param descending from the last to the first
   */
  public record Order(SortBy by, boolean descending) {
    /** As the store has them. */
    public static final Order BY_KEY = new Order(SortBy.KEY, false);
  }

  /**
   * What an answer holds beside {@link RangeResult#more}.
   *
   * @param keys the keys with their revisions
   * @param values their values
   * @param count how many keys the range has: the server looks at each of them, whatever the limit
   */
  public record Content(boolean keys, boolean values, boolean count) {
    public static final Content ALL = new Content(true, true, true);

    public Content {
      if (values && !keys) {
        throw new IllegalArgumentException("values come with their keys");
      }
      if (!keys && !count) {
        throw new IllegalArgumentException("an answer holds the keys or their count");
      }
    }
  }

  public RangeOptions withLimit(long most) {
    return new RangeOptions(most, revision, order, content, filter, consistency);
  }

  public RangeOptions withRevision(long asOf) {
    return new RangeOptions(limit, asOf, order, content, filter, consistency);
  }

  /** In this order, upwards unless {@link #withReverse}. */
  public RangeOptions withSort(SortBy by) {
    return withOrder(new Order(by, reverse()));
  }

  /** From the last key to the first. */
  public RangeOptions withReverse() {
    return withOrder(new Order(order.by(), true));
  }

  public RangeOptions withOrder(Order other) {
    return new RangeOptions(limit, revision, other, content, filter, consistency);
  }

  /** Without values. */
  public RangeOptions withKeysOnly() {
    return withContent(new Content(content.keys(), false, content.count()));
  }

  /** Without keys and values. */
  public RangeOptions withCountOnly() {
    return withContent(new Content(false, false, true));
  }

  /** Without the count: cheaper where the range is longer than the limit. */
  public RangeOptions withoutCount() {
    return withContent(new Content(content.keys(), content.values(), false));
  }

  public RangeOptions withContent(Content other) {
    return new RangeOptions(limit, revision, order, other, filter, consistency);
  }

  public RangeOptions withFilter(RevisionFilter only) {
    return new RangeOptions(limit, revision, order, content, only, consistency);
  }

  public RangeOptions withConsistency(ReadConsistency restsOn) {
    return new RangeOptions(limit, revision, order, content, filter, restsOn);
  }

  /** Whether keys come from the last to the first. */
  public boolean reverse() {
    return order.descending();
  }

  /** Whether keys come without their values. */
  public boolean keysOnly() {
    return !content.values();
  }

  /** Whether no keys come at all. */
  public boolean countOnly() {
    return !content.keys();
  }
}
