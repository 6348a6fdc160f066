package io.kvorum.api;

/** Why a watch has ended. Nothing else ends one: disconnections and changes of leader do not. */
public sealed interface WatchEnd {
  /** The application closed it. */
  record Closed() implements WatchEnd {}

  /** The client was closed. */
  record ClientClosed() implements WatchEnd {}

  /**
   * Compaction has removed history that the watch had not delivered yet. Whoever wants to go on has
   * to read the present state and watch from behind it, as {@link KvClient#watchWithSnapshot} does:
   * events were lost.
   *
   * @param fromRevision the first revision that was not delivered
   * @param compactRevision the oldest revision from which one can watch
   */
  record Compacted(long fromRevision, long compactRevision) implements WatchEnd {}

  /** It cannot be served as it was asked for; the cause says why. */
  record Rejected(KvException.Rejected cause) implements WatchEnd {}
}
