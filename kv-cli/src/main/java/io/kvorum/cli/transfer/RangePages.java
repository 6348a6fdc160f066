package io.kvorum.cli.transfer;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import java.io.IOException;
import java.util.List;

/** Reads a range page by page, all of it at the one revision that the first page met. */
public final class RangePages {
  /** Keys in one page; the server may cut a page shorter by its size in bytes. */
  private static final long PAGE_KEYS_MAX = 1000;

  private final BlockingKvClient client;

  public RangePages(KvClient client) {
    this.client = client.blocking();
  }

  /** Takes the keys in the order asked for. */
  @FunctionalInterface
  public interface Sink {
    void accept(KeyValue keyValue) throws IOException;
  }

  /**
   * Where a reading ended.
   *
   * @param revision that all pages were read at
   * @param keys handed to the sink
   * @param more whether the limit of the options left some out
   */
  public record End(long revision, long keys, boolean more) {}

  /**
   * Hands each key to the sink, up to {@code options.limit()} of them; 0: all.
   *
   * @throws io.kvorum.api.KvException as a range does; what was handed over is part of the range
   * @throws IOException of the sink
   */
  public End read(KeyRange range, RangeOptions options, Sink sink) throws IOException {
    long limit = options.limit();
    long left = limit;
    long keys = 0;
    RangeOptions page = options.withoutCount();
    KeyRange rest = range;
    while (true) {
      RangeResult result = client.range(rest, page.withLimit(pageLimit(limit, left)));
      // A revision asked for stays; without one, the first page sets it for those that follow.
      if (page.revision() == 0) {
        page = page.withRevision(result.header().revision());
      }
      for (KeyValue keyValue : result.keyValues()) {
        sink.accept(keyValue);
      }
      int read = result.keyValues().size();
      keys += read;
      left -= read;
      boolean enough = limit > 0 && left <= 0;
      if (!result.more() || enough) {
        return new End(page.revision(), keys, result.more());
      }
      if (read == 0) {
        throw new IllegalStateException("an answer without keys says that more follow");
      }
      rest = behind(rest, result.keyValues(), options.reverse());
    }
  }

  /** A negative limit goes to the server as it is, which says what it thinks of it. */
  private static long pageLimit(long limit, long left) {
    if (limit == 0) {
      return PAGE_KEYS_MAX;
    }
    return limit < 0 ? limit : Math.min(left, PAGE_KEYS_MAX);
  }

  private static KeyRange behind(KeyRange range, List<KeyValue> page, boolean reverse) {
    Bytes last = page.get(page.size() - 1).key();
    if (reverse) {
      return new KeyRange(range.from(), last);
    }
    Bytes next = KeyRange.single(last).to();
    if (next == null) {
      throw new IllegalStateException("the range of one key has an end");
    }
    return new KeyRange(next, range.to());
  }
}
