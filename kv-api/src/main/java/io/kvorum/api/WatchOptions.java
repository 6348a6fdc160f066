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
 * @param fragments whether a revision that is too large for one message is delivered part by part,
 *     as it comes; else it is put together first, and one of more than 64 MiB ends the watch
 */
public record WatchOptions(
    long fromRevision,
    boolean previous,
    boolean puts,
    boolean deletes,
    boolean progress,
    boolean fragments) {
  /** Every event from now on, without what was held before. */
  public static final WatchOptions DEFAULT = new WatchOptions(0, false, true, true, false);

  public WatchOptions {
    if (fromRevision < 0) {
      throw new IllegalArgumentException("fromRevision is at least 0, not " + fromRevision);
    }
  }

  /** Of whole revisions only. */
  public WatchOptions(
      long fromRevision, boolean previous, boolean puts, boolean deletes, boolean progress) {
    this(fromRevision, previous, puts, deletes, progress, false);
  }

  public WatchOptions withFromRevision(long first) {
    return new WatchOptions(first, previous, puts, deletes, progress, fragments);
  }

  public WatchOptions withPrevious() {
    return new WatchOptions(fromRevision, true, puts, deletes, progress, fragments);
  }

  public WatchOptions withoutPuts() {
    return new WatchOptions(fromRevision, previous, false, deletes, progress, fragments);
  }

  public WatchOptions withoutDeletes() {
    return new WatchOptions(fromRevision, previous, puts, false, progress, fragments);
  }

  public WatchOptions withProgress() {
    return new WatchOptions(fromRevision, previous, puts, deletes, true, fragments);
  }

  /** With large revisions in parts: see {@link WatchEvents#isFragment}. */
  public WatchOptions withFragments() {
    return new WatchOptions(fromRevision, previous, puts, deletes, progress, true);
  }
}
