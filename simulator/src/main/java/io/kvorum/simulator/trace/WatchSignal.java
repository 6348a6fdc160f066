package io.kvorum.simulator.trace;

import io.kvorum.api.KeyRange;
import java.util.List;

/** What a client asks of a watch, and hears of it. */
public sealed interface WatchSignal {
  /** It is asked for; the parts are those of {@link io.kvorum.api.WatchOptions}. */
  record Opened(KeyRange range, long fromRevision, boolean previous, boolean puts, boolean deletes)
      implements WatchSignal {}

  /** Events from this revision on will come. */
  record Began(long revision) implements WatchSignal {}

  /** With these, everything up to the revision has come. */
  record Heard(long revision, List<KeyChange> changes) implements WatchSignal {}

  /** Everything up to the revision has come. */
  record Progressed(long revision) implements WatchSignal {}

  /**
   * Nothing more will come.
   *
   * @param asked whether the client has closed it
   * @param compactRevision the oldest revision that can be read, if it ends because of that; else 0
   */
  record Ended(boolean asked, String how, long compactRevision) implements WatchSignal {}
}
