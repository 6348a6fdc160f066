package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeOptions.SortBy;
import io.kvorum.api.RevisionFilter;
import java.util.List;

/**
 * Who stands before whom: keys in the order in which they were created, of which some have to go
 * before it is a place's turn.
 */
interface Line {
  /** Reads what is before the place that was created at this revision. */
  Op before(long created);

  /** Who has to go, among those that were read, before it can be the turn of the place. */
  Blockers blockers(List<KeyValue> before);

  /**
   * Keys of which so many have to be deleted before it makes sense to look again.
   *
   * @param keys none: it is the turn of the place
   * @param range holds all of them
   */
  record Blockers(List<Bytes> keys, KeyRange range, int deletions) {
    public Blockers {
      keys = List.copyOf(keys);
    }

    boolean isTurn() {
      return keys.isEmpty();
    }
  }

  /**
   * One at a time: each waits for the last one before it, and for no other, so a release wakes one.
   *
   * @param others the keys that exclude the place
   * @param passed a key that does not, though it is among them: one of the same owner
   */
  record OneByOne(KeyRange others, Bytes passed) implements Line {
    @Override
    public Op before(long created) {
      RangeOptions last = RangeOptions.DEFAULT.withSort(SortBy.CREATE_REVISION).withReverse();
      return Op.range(others, createdBefore(last, created).withLimit(2));
    }

    @Override
    public Blockers blockers(List<KeyValue> before) {
      List<Bytes> keys =
          before.stream().map(KeyValue::key).filter(key -> !key.equals(passed)).limit(1).toList();
      KeyRange range = keys.isEmpty() ? others : KeyRange.single(keys.get(0));
      return new Blockers(keys, range, 1);
    }
  }

  /**
   * Some at a time, the longest waiting first.
   *
   * @param all the keys of those who have a permit, and of those who wait for one
   */
  record Permits(KeyRange all, int permits) implements Line {
    @Override
    public Op before(long created) {
      return Op.range(all, createdBefore(RangeOptions.DEFAULT, created));
    }

    /**
     * An answer that was cut off names too few: then it is looked at more often, never too late.
     */
    @Override
    public Blockers blockers(List<KeyValue> before) {
      int tooMany = before.size() - permits + 1;
      return tooMany <= 0
          ? new Blockers(List.of(), all, 0)
          : new Blockers(before.stream().map(KeyValue::key).toList(), all, tooMany);
    }
  }

  private static RangeOptions createdBefore(RangeOptions options, long created) {
    return options
        .withKeysOnly()
        .withoutCount()
        .withFilter(RevisionFilter.NONE.withMaxCreateRevision(created - 1));
  }
}
