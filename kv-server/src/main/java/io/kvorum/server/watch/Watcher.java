package io.kvorum.server.watch;

import io.kvorum.api.KeyRange;
import io.kvorum.server.store.EventPlace;

/**
 * One watch of one connection: a place in history, and how much may be sent. It holds no events; so
 * a slow one costs no more than a fast one (FAULTS F149). Belongs to the watch lane.
 */
final class Watcher {
  /** Where a watcher is kept. */
  enum State {
    /** In the index: it has everything, and will be found when something happens. */
    WAITING,
    /** In its connection's queue: there may be something to send. */
    READY,
    /** Nowhere: it has to consume before it gets more. */
    WITHOUT_CREDIT,
    /** Ended. */
    GONE
  }

  final WatchStream stream;
  final long id;
  final KeyRange range;
  final boolean wantsPrevious;
  final boolean wantsPuts;
  final boolean wantsDeletes;
  final long windowBytes;

  State state = State.READY;

  /** What comes next for it; while it waits, nothing below concerns it. */
  EventPlace next;

  /** Bytes under way for which no credit came back. */
  long unconsumedBytes;

  /** The revision of which pieces were sent, but not the last one; 0: none. */
  long begunRevision;

  Watcher(
      WatchStream stream, long id, KeyRange range, Wants wants, long windowBytes, EventPlace next) {
    this.stream = stream;
    this.id = id;
    this.range = range;
    this.wantsPrevious = wants.previous();
    this.wantsPuts = wants.puts();
    this.wantsDeletes = wants.deletes();
    this.windowBytes = windowBytes;
    this.next = next;
  }

  /** What events it wants, and with what. */
  record Wants(boolean previous, boolean puts, boolean deletes) {}

  /** How far it is, for {@link #returnTo}. */
  record Standing(EventPlace next, long unconsumedBytes, long begunRevision) {}

  Standing standing() {
    return new Standing(next, unconsumedBytes, begunRevision);
  }

  /** What was made for it since then is not sent. */
  void returnTo(Standing standing) {
    next = standing.next();
    unconsumedBytes = standing.unconsumedBytes();
    begunRevision = standing.begunRevision();
  }

  /** How many bytes may be sent now; the first message may have more when none are under way. */
  long credit() {
    return windowBytes - unconsumedBytes;
  }
}
