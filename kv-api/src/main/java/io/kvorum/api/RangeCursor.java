package io.kvorum.api;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A place in a long range that is read page by page. Whatever is written meanwhile, all pages show
 * the range as of one revision: the one asked for, or else the newest when the first page was read.
 *
 * <p>Holds no page, and nothing on a server. So compaction may overtake a slow reader: then {@link
 * #next} fails with {@link KvException.Compacted}, whose message says how far it came.
 *
 * <p>Not thread-safe: the next page may be asked for when the one before has come.
 */
public final class RangeCursor {
  private final KvClient client;
  private final RangeOptions options;
  private @Nullable KeyRange rest;
  private long revision;
  private long keysRead;
  private boolean underWay;

  RangeCursor(KvClient client, KeyRange range, RangeOptions options) {
    if (options.order().by() != RangeOptions.SortBy.KEY) {
      throw new IllegalArgumentException("pages come in order of key, not " + options.order());
    }
    if (options.countOnly()) {
      throw new IllegalArgumentException("a count has no pages");
    }
    this.client = client;
    this.options = options.withoutCount();
    this.rest = range;
    this.revision = options.revision();
  }

  /**
   * The next page. It may be empty, at the end of the range.
   *
   * @throws IllegalStateException if the page before is still under way, or there is no next one
   */
  public CompletableFuture<List<KeyValue>> next() {
    KeyRange asked = rest;
    if (underWay || asked == null) {
      throw new IllegalStateException(
          underWay ? "the page before is under way" : "the range is at its end");
    }
    underWay = true;
    // A future of its own, not a derived one: its failure is the cause itself, as the client's is.
    CompletableFuture<List<KeyValue>> page = new CompletableFuture<>();
    var unused =
        client
            .range(asked, options.withRevision(revision))
            .whenComplete(
                (result, failure) -> {
                  underWay = false;
                  if (failure == null) {
                    page.complete(arrived(asked, result));
                  } else {
                    page.completeExceptionally(explained(failure));
                  }
                });
    return page;
  }

  private List<KeyValue> arrived(KeyRange asked, RangeResult result) {
    if (revision == 0) {
      revision = result.header().revision();
    }
    List<KeyValue> found = result.keyValues();
    keysRead += found.size();
    rest =
        result.more() && !found.isEmpty() ? behind(asked, found.get(found.size() - 1).key()) : null;
    return found;
  }

  private @Nullable KeyRange behind(KeyRange asked, Bytes last) {
    if (options.reverse()) {
      return last.equals(asked.from()) ? null : new KeyRange(asked.from(), last);
    }
    Bytes next = KeyRange.single(last).to();
    if (next == null) {
      throw new AssertionError("the range of one key has an end");
    }
    boolean isEnd = asked.to() != null && next.compareTo(asked.to()) >= 0;
    return isEnd ? null : new KeyRange(next, asked.to());
  }

  private Throwable explained(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (!(cause instanceof KvException.Compacted compacted)) {
      return cause;
    }
    KvException.Compacted overtaken =
        new KvException.Compacted(
            "compaction has overtaken the reader of revision "
                + revision
                + " after "
                + keysRead
                + " keys: "
                + compacted.getMessage(),
            compacted.compactRevision());
    overtaken.initCause(compacted);
    return overtaken;
  }

  /** Whether there is no next page. */
  public boolean isAtEnd() {
    return rest == null;
  }

  /**
   * As of which revision the pages are; 0 until the first one is there, unless it was asked for.
   */
  public long revision() {
    return revision;
  }
}
