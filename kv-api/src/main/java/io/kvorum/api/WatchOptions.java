package io.kvorum.api;

/**
 * How to watch. Start from {@link #DEFAULT}.
 *
 * @param fromRevision the first revision whose events are wanted; 0: those after the newest one
 *     that the answering member knows. It may be in the past, as far back as compaction has left
 *     the history, and in the future
 * @param previous whether events carry what the key held before
 * @param puts whether puts are wanted
 * @param deletes whether deletions are wanted
 * @param progress whether the listener is told, now and then, how far it has everything while
 *     nothing happens in its range
 */
public record WatchOptions(
    long fromRevision, boolean previous, boolean puts, boolean deletes, boolean progress) {
  /** Every event from now on, without what was held before. */
  public static final WatchOptions DEFAULT = new WatchOptions(0, false, true, true, false);

  public WatchOptions {
    if (fromRevision < 0) {
      throw new IllegalArgumentException("fromRevision is at least 0, not " + fromRevision);
    }
  }

  public WatchOptions withFromRevision(long first) {
    return new WatchOptions(first, previous, puts, deletes, progress);
  }

  public WatchOptions withPrevious() {
    return new WatchOptions(fromRevision, true, puts, deletes, progress);
  }

  public WatchOptions withoutPuts() {
    return new WatchOptions(fromRevision, previous, false, deletes, progress);
  }

  public WatchOptions withoutDeletes() {
    return new WatchOptions(fromRevision, previous, puts, false, progress);
  }

  public WatchOptions withProgress() {
    return new WatchOptions(fromRevision, previous, puts, deletes, true);
  }
}
